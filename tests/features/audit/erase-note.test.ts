import { expect, test } from 'vitest';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { insertWork, openTransaction, untilBlocked } from '../../store/work/queue-driver.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

test('two notes about a deleted item can be erased at the same time, and both erasures are chained', async () => {
  const id = await insertWork(target.database);
  for (let n = 0; n < 3; n++) await target.database.query('select animus.cancel_work($1)', [id]);
  await target.database.query('delete from animus.work_items');
  const decisions = await target.database.query<{ id: string }>('select id from animus.decisions order by seq');
  const erase = (db: Queryable, n: number) => db.query('select animus.erase_note($1)', [decisions[n]!.id]);
  const erasing = await openTransaction(target.database, async (tx) => void (await erase(tx, 1)));
  const next = erase(target.database, 2);
  await untilBlocked(target.database);
  await erasing.end('commit');
  await next;
  expect(await target.database.query('select seq, action from animus.decisions order by seq')).toEqual([
    { seq: 1, action: 'cancel' },
    { seq: 2, action: 'cancel' },
    { seq: 3, action: 'cancel' },
    { seq: 4, action: 'erase' },
    { seq: 5, action: 'erase' },
  ]);
});
