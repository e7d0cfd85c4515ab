import { expect, it } from 'vitest';
import { changeConversation, setParticipant } from '../../../../src/features/conversations/store/conversations.ts';
import {
  deleteMessage,
  editMessage,
  sayInConversation,
} from '../../../../src/features/conversations/store/messages.ts';
import { cancelWork } from '../../../../src/store/work/operate.ts';
import { newTalk } from '../../../store/conversations/begun.ts';
import { testDatabase } from '../../../support/database.ts';

const pg = testDatabase();

it('people who write, edit, delete and cancel at the same time never wait for each other in a circle', {
  timeout: 60_000,
}, async () => {
  const db = pg.database;
  const talk = await newTalk(db);
  const open: { readonly messageId: string; readonly workItemId: string }[] = [];
  const errors: string[] = [];
  const attempt = (act: () => Promise<unknown>) =>
    act().catch((error: unknown) => {
      errors.push(String((error as { cause?: unknown }).cause ?? error));
    });
  for (let round = 0; round < 25; round++) {
    for (let n = 0; n < 3; n++) open.push(await sayInConversation(db, talk.id, `words ${round}`));
    const [edited, deleted, cancelled] = open.slice(-3) as [(typeof open)[0], (typeof open)[0], (typeof open)[0]];
    await Promise.all([
      attempt(() => sayInConversation(db, talk.id, 'more')),
      attempt(() => editMessage(db, edited.messageId, 'others')),
      attempt(() => deleteMessage(db, deleted.messageId)),
      attempt(() => cancelWork(db, cancelled.workItemId)),
      attempt(() => setParticipant(db, talk.id, `person:bob${round}`)),
      attempt(() => changeConversation(db, talk.id, { title: `round ${round}` })),
    ]);
  }
  expect(errors.filter((error) => /deadlock/.test(error))).toEqual([]);
  // Some are refused, because a row stays locked or the message is gone, and can be tried again; most are not.
  expect(errors.length).toBeLessThan(40);
  const [row] = await db.query<{ marks: number; newest: number }>(
    'select count(*)::int as marks, max(seq) as newest from animus.chat_marks where file_id = $1',
    [talk.id],
  );
  expect(row!.marks).toBe(row!.newest);
});
