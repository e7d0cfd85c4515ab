/** Limits of what work may cost: thin calls of the SQL functions, which hold the rules (docs/budgets.md). */
import type { BudgetPeriod, BudgetScope, BudgetUnit } from '../../core/config/sections/budget.ts';
import type { Queryable } from '../sql/database.ts';
import { toJsonb } from '../sql/json.ts';

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
  const [row] = await db.query<{ limits: BudgetLeft[] | null }>('select animus.budget_shown($1::uuid) as limits', [id]);
  return row!.limits ?? [];
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

/** In one transaction. */
const WOKEN = 100;

/** Settles turns whose cost is known by now, wakes what waits for a limit that was raised, and returns slices that nobody uses. */
export async function sweepBudgets(db: Queryable, daemonId: string): Promise<void> {
  await db.query('select animus.settle_budgets($1)', [daemonId]);
  await returnSlices(db, daemonId, false);
  for (;;) {
    const [row] = await db.query<{ changed: number }>('select animus.wake_budgets($1) as changed', [WOKEN]);
    if (row!.changed < WOKEN) return;
  }
}

/** Removes accounts and limits that nothing needs any more, at most 1,000 accounts. */
export async function pruneBudgets(db: Queryable): Promise<void> {
  await db.query('select animus.prune_budgets()');
}

/** Returns slices that nobody has used for a minute; with `all`, those of the daemon, too. */
export async function returnSlices(db: Queryable, daemonId: string, all: boolean): Promise<void> {
  await db.query('select animus.return_slices($1, $2)', [daemonId, all]);
}

/** A limit as it counts now, with what is used of it: what is spent and what is held; null of limits of each item of a faculty. */
export interface StoredLimit {
  readonly scope: BudgetScope;
  readonly subject: string | null;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
  readonly amount: number;
  /** Without what was approved; null: only that was set. */
  readonly base: number | null;
  readonly used: number | null;
  readonly spent: number | null;
  /** For turns under way: their highest cost. */
  readonly held: number | null;
  /** Of what is spent: answers whose tokens the provider did not count; null for tokens. */
  readonly estimated: number | null;
  /** Of what is spent: requests that gave nothing; for tokens, answers without counts, too. */
  readonly lost: number | null;
  readonly onExceeded: 'wait' | 'die' | null;
  readonly origin: 'file' | 'operator' | 'submitter' | 'extension';
  readonly setBy: string;
  readonly setAt: Date;
  readonly expiresAt: Date | null;
}

/** All limits, at most 1,000. Only for operators. */
export async function listBudgets(db: Queryable): Promise<StoredLimit[]> {
  return db.query<StoredLimit>(
    `select scope, subject, period, unit, amount::float8 as amount, base::float8 as base, used::float8 as used, spent::float8 as spent,
            held::float8 as held, estimated::float8 as estimated, lost::float8 as lost, on_exceeded as "onExceeded", origin,
            set_by as "setBy", set_at as "setAt", expires_at as "expiresAt" from animus.list_budgets()`,
  );
}

/** Names a limit: of an item or root by id, or of each one of a faculty; of a faculty; or, with a null subject, of the appliance. */
export interface LimitName {
  readonly scope: BudgetScope;
  readonly subject: string | null;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
}

/** Sets a limit. Errors: those of `animus.set_budget`. */
export async function setBudget(
  db: Queryable,
  { scope, subject, period, unit }: LimitName,
  amount: number,
  onExceeded: 'wait' | 'die' | null,
): Promise<void> {
  const values = [scope, subject, period, unit, amount, onExceeded];
  await db.query('select animus.set_budget($1, $2, $3, $4, $5, $6)', values);
}

/** Removes what operators and submitters have set; returns false if there was nothing. A limit of a file stays. */
export async function removeBudget(db: Queryable, { scope, subject, period, unit }: LimitName): Promise<boolean> {
  const [row] = await db.query<{ removed: number }>('select animus.remove_budget($1, $2, $3, $4) as removed', [
    scope,
    subject,
    period,
    unit,
  ]);
  return row!.removed > 0;
}
