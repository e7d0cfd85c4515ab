/** Finds and counts work by any of its properties, as the actor may see it. */
import type { WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { toText } from '../../store/sql/json.ts';

/** What is left out does not count. */
export interface WorkFilter {
  readonly states?: readonly WorkState[] | undefined;
  readonly faculties?: readonly string[] | undefined;
  readonly submitters?: readonly string[] | undefined;
  readonly since?: Date | undefined;
  readonly until?: Date | undefined;
  readonly ended_since?: Date | undefined;
  readonly ended_until?: Date | undefined;
  readonly min_cost_usd?: number | undefined;
  /** A code. */
  readonly error?: string | undefined;
  readonly root?: string | undefined;
  readonly parent?: string | undefined;
  /** Words. */
  readonly q?: string | undefined;
}

export type WorkSort = 'newest' | 'oldest' | 'ended' | 'cost' | 'duration' | 'priority';

/** Where a page begins or ends. `value`: what is sorted by; null where that is the id. */
export interface FoundPlace {
  readonly id: string;
  readonly value: string | null;
}

export interface FoundPage {
  readonly ids: readonly string[];
  /** Null: there is no further page. The page may be shorter than its limit even if there is one. */
  readonly next: FoundPlace | null;
  /** Only the newest items were ranked. */
  readonly partial: boolean;
}

/** A page of what matches, in order. Errors: `work.invalid`, such as for a `q` without a word. */
export async function findWork(
  db: Queryable,
  filter: WorkFilter,
  { sort, after, limit }: { readonly sort: WorkSort; readonly after?: FoundPlace | undefined; readonly limit: number },
): Promise<FoundPage> {
  const [row] = await db.query<{ ids: string[]; next_id: string | null; next_value: string | null; cut: boolean }>(
    'select ids, next_id, next_value, cut from animus.find_visible_work($1, $2::jsonb, $3, $4::uuid, $5)',
    [limit, toText(JSON.stringify(filter)), sort, after?.id ?? null, after?.value ?? null],
  );
  const { ids, next_id: id, next_value: value, cut } = row!;
  return { ids, next: id === null ? null : { id, value }, partial: cut };
}

/** How many match, by state; each state of the filter has a row. Errors: as `findWork`. */
export async function countWork(
  db: Queryable,
  filter: WorkFilter,
): Promise<{ state: WorkState; items: number; more: boolean }[]> {
  return db.query('select state, items, more from animus.count_visible_work($1::jsonb)', [
    toText(JSON.stringify(filter)),
  ]);
}
