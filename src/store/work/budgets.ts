/** Limits of what work may cost: thin calls of the SQL functions, which hold the rules (docs/budgets.md). */
import type { BudgetPeriod, BudgetScope, BudgetUnit } from '../../core/config/sections/budget.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';
import { readValue } from '../sql/read-value.ts';

/** A limit and what is left of it. Amounts are in USD or tokens. */
export interface BudgetLeft {
  readonly scope: BudgetScope;
  /** The id of the item or root, the name of the faculty, or ''. */
  readonly subject: string;
  readonly unit: BudgetUnit;
  readonly period: BudgetPeriod;
  /** When the period is over; null without one. */
  readonly ends: string | null;
  readonly amount: number;
  readonly spent: number;
  /** For turns under way: their highest cost. */
  readonly held: number;
  /** Both. */
  readonly used: number;
  readonly left: number;
  readonly on_exceeded: 'wait' | 'die';
}

/** The limits that apply to an item; `id` is a full id. */
export async function readBudgetLeft(db: Queryable, id: string): Promise<readonly BudgetLeft[]> {
  return (await readValue<BudgetLeft[] | null>(db, 'select animus.budget_shown($1::uuid)', [id])) ?? [];
}

/** A limit as a file sets it. */
export interface DeclaredLimit {
  readonly scope: BudgetScope;
  readonly faculty: string | null;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
  readonly amount: number;
  readonly on_exceeded: 'wait' | 'die';
}

/** Writes the limits of a daemon's files and removes those that they do not contain any more. `faculties`: all that it has read. */
export async function declareBudgets(
  db: Queryable,
  daemonId: string,
  limits: readonly DeclaredLimit[],
  faculties: readonly string[],
): Promise<void> {
  await db.query('select animus.declare_budgets($1, $2::jsonb, $3::text[])', [daemonId, toJsonb(limits), faculties]);
}

const WOKEN_AT_ONCE = 100;

/** Settles turns whose cost is known by now, wakes what waits for a limit that was raised, and returns slices that nobody uses. */
export async function sweepBudgets(db: Queryable, daemonId: string): Promise<void> {
  await db.query('select animus.settle_budgets($1)', [daemonId]);
  await returnSlices(db, daemonId, false);
  let woken: number;
  do woken = await readValue<number>(db, 'select animus.wake_budgets($1)', [WOKEN_AT_ONCE]);
  while (woken === WOKEN_AT_ONCE);
}

/** Removes accounts and limits that nothing needs any more, at most 1,000 accounts. */
export async function pruneBudgets(db: Queryable): Promise<void> {
  await db.query('select animus.prune_budgets()');
}

/** Returns slices that nobody has used for a minute; with `all`, those of the daemon, too. */
export async function returnSlices(db: Queryable, daemonId: string, all: boolean): Promise<void> {
  await db.query('select animus.return_slices($1, $2)', [daemonId, all]);
}
