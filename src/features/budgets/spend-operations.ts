/** What work costs. */
import { costParts, tokenCounts } from '../../operations/cost-rows.ts';
import { choice, optional, other, whole } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import { row } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
import {
  DEFAULT_SPEND_DAYS,
  defaultSince,
  readSpend,
  SPEND_GROUPS,
  type SpendGroup,
  type SpendPeriod,
} from './spend.ts';
import { readSpendItems, readSpendRoots } from './spend-items.ts';

const day = (description: string) => optional(other(({ z }) => z.iso.date().describe(description)));
const days = {
  since: day(`the first day; default: the first of ${DEFAULT_SPEND_DAYS}`),
  until: day('the day after the last'),
};
const groups = other(({ z }) =>
  z
    .string()
    .default('faculty,model')
    .transform((text, context): SpendGroup[] => {
      const wanted = text.split(',');
      const known = SPEND_GROUPS.filter((group) => wanted.includes(group));
      if (known.length === wanted.length) return known;
      context.addIssue({ code: 'custom', message: `expected a list of ${SPEND_GROUPS.join(', ')}` });
      return z.NEVER;
    })
    .describe(`a list of ${SPEND_GROUPS.join(', ')}`),
);
const sum = (s: Schemas) => ({
  usd: s.z.number().nullable().describe('null: the cost of no call is known'),
  ...costParts(s),
  ...tokenCounts(s),
  calls: s.z.number(),
  lost_requests: s.z.number().describe('requests that gave nothing, which are not calls'),
  code_runs: s.z.number().describe('runs of code without a model, which are not calls'),
});

const spend = operation({
  name: 'spend',
  tag: 'operate',
  summary: 'What model calls cost in a period of UTC days, by faculty and model or as `by` says',
  scope: 'read',
  http: { method: 'GET', path: '/spend' },
  input: { ...days, by: groups, limit: whole({ min: 1, max: 10_000, default: 200 }) },
  output: row((s) => {
    const group = s.z.string().nullable();
    const grouped = {
      day: group,
      month: group,
      faculty: group,
      provider: group,
      model: group,
      operation: group,
      submitter: group,
      source: group,
    };
    return s.z.object({
      rows: s.z.array(s.z.object({ ...grouped, ...sum(s) })).readonly(),
      total: s.z.object({ ...sum(s), groups: s.z.int() }),
    });
  }),
  run: ({ tx }, input) => readSpend(tx, input.by, periodOf(input), input.limit, 'visible'),
});

const most = whole({ min: 1, max: 1000, default: 20 });
const costly = (s: Schemas) => ({
  id: s.id(),
  faculty: s.z.string(),
  state: s.workState(),
  description: s.z.string(),
  submitted_by: s.z.string().nullable(),
  turns: s.z.int(),
  usd: s.z.number().nullable().describe('null: the cost of no call is known'),
  ...costParts(s),
  ...tokenCounts(s),
  created_at: s.time(),
  resolved_at: s.time().nullable(),
});

const spendItems = operation({
  name: 'spendItems',
  tag: 'operate',
  summary: 'The work items of a period that cost most or took longest',
  scope: 'read',
  http: { method: 'GET', path: '/spend/items' },
  input: {
    ...days,
    order: choice(['dearest', 'slowest'], { default: 'dearest', description: 'by cost, or by time' }),
    limit: most,
  },
  output: row((s) =>
    s.z.object({
      items: s.z.array(
        s.z.object({
          ...costly(s),
          elapsed_ms: s.z.number().describe('from its submission to its end, or until now'),
          worked_ms: s.z.number().describe('in which it was worked on'),
        }),
      ),
    }),
  ),
  run: async ({ tx }, input) => ({
    items: await readSpendItems(tx, input.order, periodOf(input), input.limit, 'visible'),
  }),
});

const spendRoots = operation({
  name: 'spendRoots',
  tag: 'operate',
  summary: 'The root items of a period, each with the sum of all its child work, the most expensive first',
  scope: 'read',
  http: { method: 'GET', path: '/spend/roots' },
  input: { ...days, limit: most },
  output: row((s) => s.z.object({ items: s.z.array(s.z.object({ ...costly(s), items: s.z.int() })) })),
  run: async ({ tx }, input) => ({ items: await readSpendRoots(tx, periodOf(input), input.limit, 'visible') }),
});

function periodOf({ since, until = null }: Days): SpendPeriod {
  return { since: since ?? defaultSince(until, Date.now()), until };
}

interface Days {
  readonly since?: string | undefined;
  readonly until?: string | null | undefined;
}

export const spendOperations: readonly Operation[] = [spend, spendItems, spendRoots];
