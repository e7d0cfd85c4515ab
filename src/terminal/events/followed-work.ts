/** Reads a work item for a follower: with the rights of a reader, or as its own submitter. */

import { AnimusError } from '../../core/errors/errors.ts';
import type { Waiting } from '../../core/work/waiting.ts';
import type { LedgerType, WorkState } from '../../core/work/work.ts';
import { type AskedView, readAsked } from '../../operations/asked.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { itemCost } from '../../store/views/known-cost.ts';
import { withWaiting } from '../../store/views/waiting.ts';
import { readWork, seesTables } from '../../store/views/work-views.ts';

/**
 * The fields that both see; a reader gets the whole row. Names are those of the columns: `work submit --wait --json` prints
 * them.
 */
export interface FollowedWork {
  readonly id: string;
  readonly faculty: string;
  readonly state: WorkState;
  readonly merged_into: string | null;
  readonly turns: number;
  /** USD, with what lost requests may have cost; null: the cost of no call is known. */
  readonly cost_usd: number | null;
  /** Calls whose cost is not known; `cost_usd` is without them. */
  readonly unpriced_calls: number;
  readonly outcome: unknown;
  readonly outcome_summary: string | null;
  readonly error: unknown;
  readonly created_at: Date;
  readonly resolved_at: Date | null;
  readonly waiting: Waiting | null;
}

/** An entry of its ledger. */
export interface FollowedEntry {
  readonly seq: number;
  readonly type: LedgerType;
  readonly content: string;
}

/** Reads items within the rights of the login. */
export interface WorkFollower {
  /** Errors: `work.not_found`, also for an item that the login may not see. */
  item(id: string): Promise<FollowedWork>;
  /** What of the item waits for a person; null for a login that may not see that. */
  asked(id: string): Promise<AskedView[] | null>;
  /** Ledger entries with a number above `seq`, in order, at most 1,000. */
  entriesAfter(id: string, seq: number): Promise<FollowedEntry[]>;
}

/** Chooses what to read: readers read the tables, a login that only submits reads the views of its own work. */
export async function workFollower(db: Queryable): Promise<WorkFollower> {
  const own = !(await seesTables(db));
  return {
    async item(id) {
      if (!own) return readWork(db, id);
      const [row] = await db.query<Omit<FollowedWork, 'waiting'>>(OWN_ITEM, [id]);
      if (row === undefined) throw new AnimusError('work.not_found', { id, detail: `no work item ${id}` });
      return (await withWaiting(db, [row]))[0]!;
    },
    asked: async (id) => (own ? null : readAsked(db, id)),
    entriesAfter: (id, seq) => db.query<FollowedEntry>(own ? OWN_ENTRIES : ENTRIES, [id, seq]),
  };
}

const OWN_ITEM = `select id, faculty, state, merged_into, turns, ${itemCost('cost_usd')}, outcome, outcome_summary, error, created_at, resolved_at
  from animus.own_work where id = $1::uuid`;
const ENTRIES = `select seq, entry_type as type, content from animus.all_ledger
  where work_item_id = $1::uuid and seq > $2 order by seq limit 1000`;
const OWN_ENTRIES = `select seq, entry_type as type, content from animus.own_ledger
  where work_item_id = $1::uuid and seq > $2 order by seq limit 1000`;
