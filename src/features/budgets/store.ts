/** Limits of what work may cost: the shape of their rows, and thin calls of the SQL functions, which hold the rules (docs/budgets.md). */
import type { BudgetPeriod, BudgetScope, BudgetUnit } from '../../core/config/sections/budget.ts';
import { type RowOf, row } from '../../operations/row.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readValue } from '../../store/sql/read-value.ts';

/** A limit as it counts now, with what is used of it. */
export const budget = row(({ z, time }) =>
  z
    .object({
      scope: z.string(),
      subject: z.string().nullable(),
      period: z.string(),
      unit: z.enum(['usd', 'tokens']),
      amount: z.number().describe('what counts now'),
      base: z.number().nullable().describe('without what was approved; null: only that was set'),
      used: z.number().nullable().describe('what is spent and what is held; null: a limit of each item of a faculty'),
      spent: z.number().nullable(),
      held: z.number().nullable().describe('for turns under way: their highest cost'),
      estimated: z
        .number()
        .nullable()
        .describe('of what is spent: answers whose tokens the provider did not count; null for tokens'),
      lost: z
        .number()
        .nullable()
        .describe('of what is spent: requests that returned nothing; of tokens, also answers without counts'),
      on_exceeded: z.enum(['wait', 'die']).nullable(),
      origin: z.enum(['file', 'operator', 'submitter', 'extension']),
      set_by: z.string(),
      set_at: time(),
      expires_at: time().nullable(),
    })
    .meta({ id: 'Budget' }),
);
export type StoredLimit = RowOf<typeof budget>;

/** All limits, at most 1,000. Only for operators. */
export async function listBudgets(db: Queryable): Promise<StoredLimit[]> {
  return db.query<StoredLimit>(
    `select scope, subject, period, unit, amount::float8 as amount, base::float8 as base, used::float8 as used, spent::float8 as spent,
            held::float8 as held, estimated::float8 as estimated, lost::float8 as lost, origin, on_exceeded, set_by, set_at, expires_at
       from animus.list_budgets()`,
  );
}

/** Names a limit: of an item or root by id, or of each one of a faculty; of a faculty; or, without a subject, of the appliance. */
export interface LimitName {
  readonly scope: BudgetScope;
  readonly subject?: string | undefined;
  readonly period: BudgetPeriod;
  readonly unit: BudgetUnit;
}

export interface NewLimit extends LimitName {
  readonly amount: number;
  readonly on_exceeded?: 'wait' | 'die' | undefined;
}

/** Sets a limit. Errors: those of `animus.set_budget`. */
export async function setBudget(db: Queryable, limit: NewLimit): Promise<void> {
  const { scope, subject = null, period, unit, amount, on_exceeded: exceeded = null } = limit;
  await db.query('select animus.set_budget($1, $2, $3, $4, $5, $6)', [scope, subject, period, unit, amount, exceeded]);
}

/** Removes what operators and submitters have set; returns false if there was nothing. A limit of a file stays. */
export async function removeBudget(db: Queryable, { scope, subject, period, unit }: LimitName): Promise<boolean> {
  const name = [scope, subject ?? null, period, unit];
  return (await readValue<number>(db, 'select animus.remove_budget($1, $2, $3, $4)', name)) > 0;
}
