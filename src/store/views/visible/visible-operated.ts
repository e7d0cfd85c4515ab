/** What operators set and see: limits, and changes of many items. Rows keep the names of their columns. */
import type { WorkState } from '../../../core/work/work.ts';
import type { Queryable } from '../../sql/database.ts';
import { toText } from '../../sql/json.ts';
import type { BudgetLeft } from '../../work/budgets.ts';
import type { WorkMatch } from '../matching-work.ts';

/** The limits that apply to an item, with what is left of them; none for an item that the actor may not see. */
export async function readVisibleBudget(tx: Queryable, id: string): Promise<readonly BudgetLeft[]> {
  const [row] = await tx.query<{ limits: BudgetLeft[] | null }>(
    'select animus.visible_budget_left($1::uuid) as limits',
    [id],
  );
  return row!.limits ?? [];
}

/** How many items match that the actor may change, by faculty and state; most first. */
export async function countChangeable(
  tx: Queryable,
  { states, faculty, since }: WorkMatch,
): Promise<{ readonly faculty: string; readonly state: WorkState; readonly items: number }[]> {
  return tx.query(
    'select faculty, state, items::int as items from animus.count_matching_work($1::text[], $2, $3::timestamptz)',
    [states, faculty ?? null, since ?? null],
  );
}

/** A change of items that match, after one of them in the order of their ids. */
export interface MatchingChange extends WorkMatch {
  readonly action: 'cancel' | 'retry';
  readonly reason?: string | undefined;
  readonly after?: string | undefined;
  /** 1 to 500. */
  readonly limit: number;
}

/** Changes items that match. `problem`: why one stays as it is; null: it was changed. Errors: `db.forbidden`. */
export async function changeMatching(
  tx: Queryable,
  { action, states, faculty, since, reason, after, limit }: MatchingChange,
): Promise<{ readonly id: string; readonly problem: string | null }[]> {
  return tx.query(
    'select id, problem from animus.change_matching_work($1, $2::text[], $3, $4::timestamptz, $5, $6::uuid, $7)',
    [
      action,
      states,
      faculty ?? null,
      since ?? null,
      reason === undefined ? null : toText(reason),
      after ?? null,
      limit,
    ],
  );
}

/** Errors: `db.forbidden` for who may not see all work. */
export async function requireSeesAll(tx: Queryable): Promise<void> {
  await tx.query('select animus.visible_all()');
}

/** Errors: `db.forbidden` for who is not an operator. */
export async function requireOperator(tx: Queryable): Promise<void> {
  await tx.query('select animus.visible_as_operator()');
}
