/** Why claims fail: the item, or the faculty, that makes them fail. Thin calls of the SQL functions. */
import type { Queryable } from '../../sql/database.ts';
import { sqlState } from '../../sql/database-errors.ts';
import { toJsonb } from '../../sql/json.ts';
import type { ClaimRequest } from '../work.ts';

/** An item that claims leave out until `until`, a time in ISO 8601, so many seconds from when it was found, because they failed on it so many times. */
export interface ItemFault {
  readonly workItemId: string;
  readonly faculty: string;
  readonly message: string;
  readonly failures: number;
  readonly until: string;
  readonly leftSeconds: number;
}

/** A faculty of which claims leave out everything, as ItemFault. */
export type FacultyFault = Omit<ItemFault, 'workItemId'>;

/** How far the error of a claim reaches. `nothing`: it has passed, or passes by itself. */
export type ClaimFault =
  | { readonly reach: 'nothing' | 'everything' }
  | {
      readonly reach: 'some';
      readonly items: readonly ItemFault[];
      readonly faculties: readonly FacultyFault[];
    };

/** Finds out what made a claim fail. Changes nothing but that later claims, of all daemons, leave the items and faculties out for a while. */
export async function findFaults(db: Queryable, request: ClaimRequest, error: unknown): Promise<ClaimFault> {
  const state = sqlState(error);
  if (state === undefined) return { reach: 'nothing' };
  const rows = await db.query<
    Omit<ItemFault, 'workItemId'> & { readonly reach: string; readonly workItemId: string | null }
  >(
    `select reach, faculty, work_item_id as "workItemId", message, failures, to_jsonb(until) #>> '{}' as until,
            extract(epoch from until - animus.now())::float8 as "leftSeconds"
       from animus.find_faults($1, $2::jsonb, $3, $4)`,
    [request.daemonId, toJsonb(request.faculties), Math.max(1, request.limit + (request.ahead ?? 0)), state],
  );
  if (rows.length === 0) return { reach: 'nothing' };
  if (rows.some(({ reach }) => reach === 'everything')) return { reach: 'everything' };
  return {
    reach: 'some',
    items: rows.filter((row): row is typeof row & ItemFault => row.reach === 'item'),
    faculties: rows.filter(({ reach }) => reach === 'faculty'),
  };
}

/** Work that is due, that nothing stands in the way of, and that nobody has claimed for a minute: how much, and one of it. */
export interface Unclaimed {
  readonly items: number;
  readonly workItemId: string;
  readonly since: string;
  /** Another transaction has its row locked. */
  readonly locked: boolean;
}

/** Null: there is none. `faculties`: null for all that live daemons serve. */
export async function readUnclaimed(db: Queryable, faculties: readonly string[] | null): Promise<Unclaimed | null> {
  const [row] = await db.query<Unclaimed>(
    `select items, work_item_id as "workItemId", to_jsonb(since) #>> '{}' as since, locked from animus.unclaimed_work($1::text[])`,
    [faculties],
  );
  return row ?? null;
}

/** An item that claims leave out, or all of a faculty (null), as the database keeps it. */
export interface KeptFault {
  readonly work_item_id: string | null;
  readonly faculty: string;
  readonly failures: number;
  readonly since: string;
  readonly until: string;
  readonly sqlstate: string;
}

/** What claims leave out, or did until now, the longest first, at most 100. */
export function readKeptFaults(db: Queryable): Promise<KeptFault[]> {
  return db.query<KeptFault>(
    `select f.work_item_id, f.faculty, f.failures, to_jsonb(f.since) #>> '{}' as since, to_jsonb(f.until) #>> '{}' as until, f.sqlstate
       from (select null::uuid as work_item_id, faculty, failures, since, until, sqlstate from animus.faculty_faults
             union all
             select c.work_item_id, w.faculty, c.failures, c.since, c.until, c.sqlstate from animus.claim_faults c join animus.work_items w on w.id = c.work_item_id) f
      order by f.since, f.work_item_id limit 100`,
  );
}
