/** Promise: with four eyes, no command approves what the caller's own work asks for; `work deny` does deny it. */
import { expect, test } from 'vitest';
import { askPerson } from '../../../src/store/transcript/approvals.ts';
import { parkWork } from '../../../src/store/transcript/waits.ts';
import { commandSite } from '../../cli/work/command-site.ts';
import { askOf } from '../../support/ask-of.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { testDatabase } from '../../support/database.ts';

const db = testDatabase();
const { animus } = commandSite(db);

test('work approve, with and without --always, refuses; deny does not', async () => {
  const work = await beginFocus(db.database);
  await recordCalls(db.database, work, 1, ['c1'], 'bash');
  await askPerson(db.database, work.key, 1, 'c1', 'approval', {
    subject: 'tool_call',
    request: { reason: 'a rule', gate: 'permissions', four_eyes: true },
    seconds: 60,
  });
  await parkWork(db.database, { id: work.id, leaseToken: work.leaseToken });
  const ask = await askOf(db.database, work.id, 'c1');
  for (const more of [[], ['--always'], ['--always=faculty']]) {
    const { code, stderr } = await animus(['work', 'approve', work.id, '--ask', ask, ...more]);
    expect([more, code === 0, stderr.includes('four eyes')], stderr).toEqual([more, false, true]);
  }
  expect(await animus(['work', 'deny', work.id, '--ask', ask, '--note', 'no'])).toMatchObject({ code: 0 });
});
