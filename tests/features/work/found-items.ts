/** Items for tests of what a filter finds, and what a program finds that looks at every item. */
import type { WorkState } from '../../../src/core/work/work.ts';
import type { WorkFilter, WorkSort } from '../../../src/features/work/found.ts';
import { writeWords } from '../../../src/features/work/service.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { fillQueue } from '../../store/work/fill-queue.ts';

export interface Item {
  readonly id: string;
  readonly state: WorkState;
  readonly faculty: string;
  readonly submitted_by: string;
  readonly cost: string;
  readonly priority: number;
  readonly seconds: number | null;
  readonly ended: string | null;
  readonly ended_at: Date | null;
  readonly code: string | null;
  readonly root_id: string;
  readonly parent_id: string | null;
  readonly said: string;
}

/** Inserts 26,000 items that have ended, and others in each state, of all faculties and people, with their words. The newest first. */
export async function fillItems(db: Database): Promise<readonly Item[]> {
  await fillQueue(db, { queued: { crowd: 6000, rare: 60 }, resolved: 26_000, scheduled: 300 });
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `with item as (select id, state, ('x' || right(id::text, 6))::bit(24)::int as r, row_number() over (order by id) as n from animus.work_items)
       update animus.work_items w
          set submitted_by = case when i.n % 40 = 0 then 'person:alice' when i.n % 3 = 0 then 'person:bob' else 'postgres' end,
              faculty = case when w.faculty = 'noop' and i.r % 300 = 0 then 'rare' when w.faculty = 'noop' and i.r % 2 = 0 then 'crowd' else w.faculty end,
              priority = i.r % 7, cost_usd = (i.r % 1000) / 100.0, lost_usd = (i.r % 3) / 10.0,
              state = case when w.resolved_at is null or i.r % 9 > 3 then w.state else (array['dead', 'cancelled', 'merged', 'dead'])[1 + i.r % 9] end,
              error = case when w.resolved_at is not null and i.r % 9 in (0, 3) then jsonb_build_object('code', 'llm.' || (array['overloaded', 'timeout'])[1 + i.r % 2], 'message', 'gave up') end,
              description = 'Item of ' || (array['winter', 'summer', 'spring'])[1 + i.r % 3] || case when i.n % 4000 = 7 then ' Überraschung' else '' end,
              resolved_at = case when w.resolved_at is not null then now() - (i.r % 5000) * interval '1 second' end,
              created_at = case when w.resolved_at is not null then now() - interval '10 days' - (i.r % 777) * interval '1 second' else w.created_at end
         from item i where i.id = w.id`,
    );
    await tx.query(
      `with chosen as (select id, row_number() over (order by id) as n from animus.work_items where state = 'scheduled')
       update animus.work_items w set state = (array['claimed', 'running', 'waiting'])[1 + (s.n % 3)::int] from chosen s where s.id = w.id and s.n % 4 = 0`,
    );
    await tx.query(
      `with tree as (select id, first_value(id) over (partition by n / 5 order by id) as root from (select id, row_number() over (order by id desc) as n from animus.work_items limit 200) i)
       update animus.work_items w set root_id = t.root, parent_id = nullif(t.root, t.id), depth = (t.root <> t.id)::int from tree t where t.id = w.id`,
    );
    await tx.query(
      `insert into animus.work_ledger (work_item_id, seq, entry_type, content, created_at)
       select id, 1, 'finding', 'It was the timezone''s offset', now() from (select id, row_number() over (order by id) as n from animus.work_items) i where n % 500 = 0`,
    );
  });
  await db.query('vacuum analyze animus.work_items');
  await writeAll(db);
  return db.query<Item>(
    `select w.id, w.state, w.faculty, w.submitted_by, (w.cost_usd + w.lost_usd)::text as cost, w.priority, extract(epoch from w.resolved_at - w.created_at)::float8 as seconds,
            animus.iso_time(w.resolved_at) as ended, w.resolved_at as ended_at, w.error ->> 'code' as code, w.root_id, w.parent_id,
            w.description || coalesce((select ' ' || l.content from animus.work_ledger l where l.work_item_id = w.id), '') as said
       from animus.work_items w order by w.id desc`,
  );
}

/** All that is to be written. */
async function writeAll(db: Queryable): Promise<void> {
  await db.query(
    `insert into animus.periods_read values ('words', '-infinity', 'infinity', now(), pg_snapshot_xmax(pg_current_snapshot()))`,
  );
  while ((await writeWords(db, 5000)) !== null) continue;
}

export function matches(item: Item, filter: WorkFilter): boolean {
  const {
    states,
    faculties,
    submitters,
    ended_since: since,
    ended_until: until,
    min_cost_usd: cost,
    error,
    root,
    parent,
    q,
  } = filter;
  return (
    (states?.includes(item.state) ?? true) &&
    (faculties?.includes(item.faculty) ?? true) &&
    (submitters?.includes(item.submitted_by) ?? true) &&
    (since === undefined || (item.ended_at !== null && item.ended_at >= since)) &&
    (until === undefined || (item.ended_at !== null && item.ended_at < until)) &&
    (cost === undefined || Number(item.cost) >= cost) &&
    (error === undefined || item.code === error) &&
    (root === undefined || item.root_id === root) &&
    (parent === undefined || item.parent_id === parent) &&
    (q === undefined ||
      q
        .toLowerCase()
        .split(' ')
        .every((word) =>
          item.said
            .toLowerCase()
            .split(/[^\p{L}\p{N}]+/u)
            .some((said) => said.startsWith(word)),
        ))
  );
}

const RANKS: Readonly<Record<WorkSort, (item: Item) => number | string | null>> = {
  newest: () => 0,
  oldest: () => 0,
  ended: (item) => item.ended,
  cost: (item) => Number(item.cost),
  duration: (item) => item.seconds,
  priority: (item) => item.priority,
};

/** `items` are the newest first, and sorting is stable. */
export function sorted(found: readonly Item[], sort: WorkSort): readonly Item[] {
  if (sort === 'oldest') return found.toReversed();
  const rank = RANKS[sort];
  return found
    .filter((item) => rank(item) !== null)
    .toSorted((a, b) => (rank(a)! < rank(b)! ? 1 : rank(a)! > rank(b)! ? -1 : 0));
}
