import { beforeAll, expect, test } from 'vitest';
import { readSpendItems, readSpendRoots } from '../../../src/features/budgets/spend-items.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { fillQueue } from '../../store/work/fill-queue.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();

beforeAll(async () => {
  await fillQueue(target.database, { queued: { crowd: 20_000 }, resolved: 20_000 });
  await target.database.query('analyze animus.work_items');
});

test.each([
  ['dearest', (db: Queryable) => readSpendItems(db, 'dearest', DAY, 20)],
  ['slowest', (db: Queryable) => readSpendItems(db, 'slowest', DAY, 20)],
  ['roots', (db: Queryable) => readSpendRoots(db, DAY, 20)],
])('the %s of a day are read by the ids of that day, not from the whole table', async (_, read) => {
  const plans: string[] = [];
  await read(explaining(target.database, plans));
  expect(plans.join('\n')).toContain('work_items_pkey');
  expect(plans.filter((plan) => /Seq Scan on work_items/.test(plan))).toEqual([]);
});

test('the time that an item took begins with its submission, not with its last retry', async () => {
  const { database: db } = target;
  const [row] = await db.query<{ id: string }>(`insert into animus.work_items (faculty) values ('slow') returning id`);
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `update animus.work_items set state = 'completed', resolved_at = created_at + interval '8 s', run_at = created_at + interval '7.53 s', lease_token = 1 where id = $1`,
      [row!.id],
    );
  });
  const today = { since: new Date(Date.now() - 86_400_000).toISOString().slice(0, 10), until: null };
  const items = await readSpendItems(db, 'slowest', today, 1000);
  expect(items.find(({ id }) => id === row!.id)).toMatchObject({ elapsed_ms: 8000 });
});

const DAY = { since: '2020-02-01', until: '2020-02-02' };

/** Keeps the plan of each query, and returns no rows. */
function explaining(db: Queryable, plans: string[]): Queryable {
  const query = async (text: string, values?: readonly unknown[]) => {
    const rows = await db.query<{ 'QUERY PLAN': string }>(`explain ${text}`, values);
    plans.push(rows.map((row) => row['QUERY PLAN']).join('\n'));
    return [];
  };
  return { ...db, query };
}
