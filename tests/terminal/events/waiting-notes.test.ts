/** What a command that waits for an answer says about why it does not come. */
import { expect, test } from 'vitest';
import { sayInConversation } from '../../../src/features/conversations/store/messages.ts';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { waitingNotes } from '../../../src/terminal/events/waiting-notes.ts';
import { createOutput } from '../../../src/terminal/view/output.ts';
import { beginAnswer, newTalk } from '../../store/conversations/begun.ts';
import { recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase();

test('says once that nobody serves it, and then what a person has to decide', async () => {
  const db = target.database;
  const talk = await newTalk(db);
  const { workItemId } = await sayInConversation(db, talk.id, 'May I?');
  let stderr = '';
  const write = (text: string) => void (stderr += text);
  const look = await waitingNotes(
    createOutput({ stdout: { write }, stderr: { write }, env: { npm_command: 'exec' }, json: false }),
    db,
    workItemId,
  );
  const says = (text: string) =>
    eventually(text, async () => {
      await look();
      return stderr.includes(text) || null;
    });
  await says('no daemon is running');
  const work = await beginAnswer(db, talk);
  await recordCalls(db, work, 1, ['c1'], 'bash');
  const request = { reason: 'bash = "ask"', gate: 'permissions' };
  await askPerson(db, work.key, 1, 'c1', 'approval', { subject: 'tool_call', request, seconds: 60 });
  await parkWork(db, { id: work.id, leaseToken: work.leaseToken });
  await says(
    `it waits: a call of bash waits for approval, until an operator decides; otherwise it is denied at the deadline; see: npx animus inbox ${work.id.slice(-12)}`,
  );
  expect(stderr.split('\n').filter(Boolean)).toHaveLength(2);
});
