import type { Queryable } from '../../../store/sql/database.ts';
import { FACULTIES } from './cast.ts';

/** What the demo has made. */
export interface WeekCounts {
  readonly items: number;
  readonly turns: number;
  readonly calls: number;
  readonly dead: number;
  readonly open: number;
  /** Requests that wait for a person. */
  readonly asks: number;
  readonly cost_usd: number;
}

/** Counts the work of the demo's faculties. */
export async function countWeek(db: Queryable): Promise<WeekCounts> {
  const [counts] = await db.query<WeekCounts>(
    `with demo as materialized (select id, state, turns, cost_usd + lost_usd as usd, resolved_at from animus.work_items where faculty = any ($1::text[]))
     select count(*)::int as items, coalesce(sum(turns), 0)::int as turns, count(*) filter (where state = 'dead')::int as dead,
            count(*) filter (where resolved_at is null)::int as open, coalesce(sum(usd), 0)::float8 as cost_usd,
            (select count(*) from animus.foci f join animus.tool_calls c on c.focus_id = f.id where f.work_item_id in (select id from demo))::int as calls,
            (select count(*) from animus.waits w where w.work_item_id in (select id from demo) and w.resolved_at is null and w.subject is not null)::int as asks
       from demo`,
    [Object.values(FACULTIES).map(({ name }) => name)],
  );
  return counts!;
}
