import { expect, test } from 'vitest';
import { createWorkCompleter } from '../../../../src/store/work/claimed/work-completer.ts';
import { testDatabase } from '../../../support/database.ts';
import { claim, codeOf, emptyQueue, openTransaction, stateOf } from '../queue-driver.ts';

const target = testDatabase();

test('a completion whose item is locked delays no other in its batch or after it, and can be sent again', async () => {
  await emptyQueue(target.database);
  await target.database.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 4)`);
  const work = await claim(target.database, 4);
  const completer = createWorkCompleter(target.database);
  const complete = (n: number) => completer.complete({ ...work[n]!, outcome: {}, summary: null });
  const locked = await openTransaction(target.database, async (tx) => {
    await tx.query(`select from animus.work_items where id = $1 for update`, [work[0]!.id]);
  });
  const [stuck] = await Promise.all([codeOf(complete(0)), complete(1), complete(2)]);
  expect(stuck).toBe('work.locked');
  await complete(3);
  expect(await stateOf(target.database, work[0]!.id)).toBe('claimed');
  await locked.end('commit');
  await complete(0);
  expect(await stateOf(target.database, work[0]!.id)).toBe('completed');
});
