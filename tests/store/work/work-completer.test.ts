import { expect, test } from 'vitest';
import { createWorkCompleter } from '../../../src/store/work/work-completer.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { claim, emptyQueue, openTransaction, stateOf } from './queue-driver.ts';

const target = testDatabase();

test('an end whose item somebody keeps locked holds up none that come after it, and is written in the end', async () => {
  await emptyQueue(target.database);
  await target.database.query(`insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 4)`);
  const work = await claim(target.database, 4);
  const completer = createWorkCompleter(target.database, 100, 20);
  const complete = (n: number) => completer.complete({ ...work[n]!, outcome: {}, summary: null });
  // Some items of a batch may have to wait with the one that is locked; those of later batches do not.
  const locked = await openTransaction(target.database, async (tx) => {
    await tx.query(`select animus.watch_work($1)`, [work[0]!.id]);
  });
  const stuck = complete(0);
  await eventually('it waits for the lock', async () => {
    const rows = await target.database.query(
      `select from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'`,
    );
    return rows.length > 0 ? true : null;
  });
  await Promise.all([complete(1), complete(2)]);
  await complete(3);
  expect(await stateOf(target.database, work[0]!.id)).toBe('claimed');
  await locked.end('commit');
  await stuck;
  expect(await stateOf(target.database, work[0]!.id)).toBe('completed');
});
