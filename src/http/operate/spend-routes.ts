/** What work costs. */
import { z } from 'zod';
import { readVisibleSpend, SPEND_GROUPS, type SpendGroup, type SpendPeriod } from '../../store/views/spend.ts';
import { readSpendItems, readSpendRoots } from '../../store/views/spend-items.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { id, time, workState } from '../route/schemas.ts';

const day = () => z.iso.date();
const days = { since: day().describe('the first day'), until: day().optional().describe('the day after the last') };
const groups = z
  .string()
  .default('faculty,model')
  .transform((text, context): SpendGroup[] => {
    const wanted = text.split(',');
    const known = SPEND_GROUPS.filter((group) => wanted.includes(group));
    if (known.length === wanted.length) return known;
    context.addIssue({ code: 'custom', message: `expected a list of ${SPEND_GROUPS.join(', ')}` });
    return z.NEVER;
  });
const sum = {
  usd: z.number().nullable().describe('null: the cost of no call is known'),
  unpriced_calls: z.number().describe('calls whose cost is not known, which the sum is without'),
  input_tokens: z.number(),
  output_tokens: z.number(),
  calls: z.number(),
  code_runs: z.number().describe('runs of code without a model, which are no calls'),
};

const spend = jsonRoute({
  id: 'spend',
  method: 'GET',
  path: '/spend',
  tag: 'operate',
  summary: 'What model calls cost, by UTC day',
  scope: 'read',
  query: z.strictObject({
    ...days,
    by: groups.describe(`a list of ${SPEND_GROUPS.join(', ')}`),
    limit: z.coerce.number().int().min(1).max(10_000).default(200),
  }),
  output: z.object({
    rows: z
      .array(
        z.object({
          day: z.string().nullable(),
          month: z.string().nullable(),
          faculty: z.string().nullable(),
          model: z.string().nullable(),
          operation: z.string().nullable(),
          submitter: z.string().nullable(),
          ...sum,
        }),
      )
      .readonly(),
    total: z.object({ ...sum, groups: z.int() }),
  }),
  run: ({ tx }, { query }) => {
    return readVisibleSpend(tx, query.by, periodOf(query), query.limit);
  },
});

const most = () => z.coerce.number().int().min(1).max(1000).default(20);
const costly = {
  id: id(),
  faculty: z.string(),
  state: workState(),
  description: z.string(),
  submitted_by: z.string().nullable(),
  turns: z.int(),
  usd: z.number().nullable().describe('null: the cost of no call is known'),
  unpriced_calls: z.number().describe('calls whose cost is not known, which the sum is without'),
  input_tokens: z.number(),
  output_tokens: z.number(),
  created_at: time(),
  resolved_at: time().nullable(),
};

const spendItems = jsonRoute({
  id: 'spendItems',
  method: 'GET',
  path: '/spend/items',
  tag: 'operate',
  summary: 'The work items of a period that cost most or took longest',
  scope: 'read',
  query: z.strictObject({
    ...days,
    order: z.enum(['dearest', 'slowest']).default('dearest').describe('by cost, or by time'),
    limit: most(),
  }),
  output: z.object({
    items: z.array(
      z.object({
        ...costly,
        elapsed_ms: z.number().describe('from when it was due to its end, or until now'),
        worked_ms: z.number().describe('in which it was worked on'),
      }),
    ),
  }),
  run: async ({ tx }, { query }) => ({
    items: await readSpendItems(tx, query.order, periodOf(query), query.limit, 'visible'),
  }),
});

const spendRoots = jsonRoute({
  id: 'spendRoots',
  method: 'GET',
  path: '/spend/roots',
  tag: 'operate',
  summary: 'The root items of a period, each with the sum of all its child work, the most expensive first',
  scope: 'read',
  query: z.strictObject({ ...days, limit: most() }),
  output: z.object({ items: z.array(z.object({ ...costly, items: z.int() })) }),
  run: async ({ tx }, { query }) => ({ items: await readSpendRoots(tx, periodOf(query), query.limit, 'visible') }),
});

function periodOf({ since, until }: { since: string; until?: string | undefined }): SpendPeriod {
  return { since, until: until ?? null };
}

export const spendRoutes: readonly Route[] = [spend, spendItems, spendRoots];
