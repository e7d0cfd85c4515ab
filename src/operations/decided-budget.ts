/** What a decision about a limit did (`animus.decided_budget`), as all interfaces show it. */
import type { Queryable } from '../store/sql/database.ts';
import { readValue } from '../store/sql/read-value.ts';
import { type RowOf, row } from './row.ts';

export const decidedLimit = row((s) =>
  s.z
    .object({
      scope: s.z.enum(['item', 'root', 'faculty', 'appliance']),
      subject: s.z.string().describe('the id of the item or root, the name of the faculty, or empty'),
      unit: s.z.enum(['usd', 'tokens']),
      period: s.z.enum(['none', 'day', 'month']),
      amount: s.z.number().nullable().describe('the limit that applies now; null: none does'),
      ends: s.z.string().meta({ format: 'date-time' }).nullable().describe('until when it applies'),
      items: s.z.int().describe('how many work items go on or, after a denial, end'),
      work_items: s.z.array(s.id()).describe('the first hundred of them'),
      waiting: s.z.int().describe('how many still wait for the same limit'),
    })
    .meta({ id: 'DecidedBudget' }),
);
export type DecidedBudget = RowOf<typeof decidedLimit>;

/** What the decision of this request did; null: it was not about a limit. */
export async function decidedBudget(db: Queryable, ask: string): Promise<DecidedBudget | null> {
  return readValue<DecidedBudget | null>(db, 'select animus.decided_budget($1::uuid)', [ask]);
}
