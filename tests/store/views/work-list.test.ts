import { beforeAll, describe, expect, test } from 'vitest';
import { WORK_STATES, type WorkState } from '../../../src/core/work/work.ts';
import { listWork } from '../../../src/operations/read-work.ts';
import type { Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { fillQueue } from '../work/fill-queue.ts';

const target = testDatabase();
interface Item {
  readonly id: string;
  readonly state: WorkState;
  readonly faculty: string;
}
let items: Item[] = [];

/** Thousands of queued, ended and scheduled items, and four of a rare faculty in each state. */
beforeAll(async () => {
  await fillQueue(target.database, { queued: { crowd: 6000, rare: 40 }, resolved: 6000, scheduled: 1000 });
  await target.database.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `with rare as (select id, (row_number() over (order by id))::int as n from animus.work_items where faculty = 'rare'),
       state as (select r.id, r.n, (array['queued', 'queued', 'scheduled', 'claimed', 'running', 'waiting', 'completed', 'dead', 'merged', 'cancelled'])[1 + r.n % 10] as name from rare r)
       update animus.work_items w
          set state = s.name, key_blocked = s.n % 10 = 1, resolved_at = case when s.name = any ($1) then now() end,
              run_at = case when s.name = 'scheduled' then now() + interval '1 day' end
         from state s where s.id = w.id`,
      [['completed', 'dead', 'merged', 'cancelled']],
    );
  });
  await target.database.query('analyze animus.work_items');
  items = await target.database.query<Item>('select id, state, faculty from animus.work_items order by id desc');
});

describe.each([undefined, 'rare', 'crowd', 'nobody'])('a list of faculty %s', (faculty) => {
  test.each([undefined, ...WORK_STATES])(
    'in state %s has the newest items that match, and reads no whole table',
    async (state) => {
      const expected = items.filter(
        (item) => (state === undefined || item.state === state) && (faculty === undefined || item.faculty === faculty),
      );
      const plans: string[] = [];
      const listed = await listWork(explaining(target.database, plans), { state, faculty, limit: 20 });
      expect(listed.map((item) => item.id)).toEqual(expected.slice(0, 20).map((item) => item.id));
      expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
    },
  );
});

describe.each([undefined, 'rare', 'crowd'])('the pages of a list of faculty %s', (faculty) => {
  test.each([undefined, ...WORK_STATES])('in state %s are the whole list, and read no whole table', async (state) => {
    const expected = items.filter(
      (item) => (state === undefined || item.state === state) && (faculty === undefined || item.faculty === faculty),
    );
    // The middle and the end of a long list, and all of a short one.
    for (const start of new Set([0, 1, Math.floor(expected.length / 2), expected.length - 3, expected.length - 1])) {
      const after = expected[start]?.id;
      if (after === undefined) continue;
      const plans: string[] = [];
      const page = await listWork(explaining(target.database, plans), { state, faculty, after, limit: 7 });
      expect(page.map((item) => item.id)).toEqual(expected.slice(start + 1, start + 8).map((item) => item.id));
      expect(plans.filter((plan) => plan.includes('Seq Scan'))).toEqual([]);
    }
  });
});

test('a list of queued items of more priorities than are merged has the newest, too', async () => {
  await target.database.query(
    `update animus.work_items set priority = mod(('x' || right(id::text, 4))::bit(16)::int, 500) where state = 'queued' and faculty = 'crowd'`,
  );
  for (const faculty of [undefined, 'crowd', 'rare']) {
    const expected = items.filter((item) => item.state === 'queued' && (faculty ?? item.faculty) === item.faculty);
    for (const start of [0, 3, expected.length - 5]) {
      const page = await listWork(target.database, { state: 'queued', faculty, after: expected[start]!.id, limit: 7 });
      expect(page.map((item) => item.id)).toEqual(expected.slice(start + 1, start + 8).map((item) => item.id));
    }
  }
});

/** Passes statements on, and notes their plans. */
function explaining(db: Queryable, plans: string[]): Queryable {
  return {
    async query<Row extends object>(sql: string, values?: readonly unknown[]) {
      const plan = await db.query<{ 'QUERY PLAN': string }>(`explain ${sql}`, values);
      plans.push(plan.map((row) => row['QUERY PLAN']).join('\n'));
      return db.query<Row>(sql, values);
    },
  };
}
