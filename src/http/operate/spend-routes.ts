/** What work costs. */
import { z } from 'zod';
import { costParts, tokenCounts } from '../../operations/cost-schemas.ts';
import { id, time, workState } from '../../operations/schemas.ts';
import {
  DEFAULT_SPEND_DAYS,
  defaultSince,
  readVisibleSpend,
  SPEND_GROUPS,
  type SpendGroup,
  type SpendPeriod,
} from '../../store/views/spend.ts';
import { readSpendItems, readSpendRoots } from '../../store/views/spend-items.ts';
import { jsonRoute, type Route } from '../route/route.ts';

const day = () => z.iso.date();
const days = {
  since: day().optional().describe(`the first day; default: the first of ${DEFAULT_SPEND_DAYS}`),
  until: day().optional().describe('the day after the last'),
};
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
  ...costParts,
  ...tokenCounts,
  calls: z.number(),
  lost_requests: z.number().describe('requests that gave nothing, which are not calls'),
  code_runs: z.number().describe('runs of code without a model, which are not calls'),
};

const spend = jsonRoute({
  id: 'spend',
  method: 'GET',
  path: '/spend',
  tag: 'operate',
  summary: 'What model calls cost in a period of UTC days, by faculty and model or as `by` says',
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
          provider: z.string().nullable(),
          model: z.string().nullable(),
          operation: z.string().nullable(),
          submitter: z.string().nullable(),
          source: z.string().nullable(),
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
  ...costParts,
  ...tokenCounts,
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
        elapsed_ms: z.number().describe('from its submission to its end, or until now'),
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

function periodOf({
  since,
  until = null,
}: {
  since?: string | undefined;
  until?: string | null | undefined;
}): SpendPeriod {
  return { since: since ?? defaultSince(until, Date.now()), until };
}

export const spendRoutes: readonly Route[] = [spend, spendItems, spendRoots];
