/** What work costs. */
import { choice, optional, other, whole } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import {
  DEFAULT_SPEND_DAYS,
  defaultSince,
  readSpend,
  SPEND_GROUPS,
  type SpendGroup,
  type SpendPeriod,
  spendRow,
  spendTotal,
} from './spend.ts';
import { readSpendItems, readSpendRoots, spendItem, spendRoot } from './spend-items.ts';

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
const spend = operation({
  name: 'spend',
  tag: 'operate',
  summary: 'What model calls cost in a period of UTC days, by faculty and model or as `by` says',
  scope: 'read',
  http: { method: 'GET', path: '/spend' },
  input: { ...days, by: groups, limit: whole({ min: 1, max: 10_000, default: 200 }) },
  output: (s) => s.z.object({ rows: s.z.array(spendRow(s)).readonly(), total: spendTotal(s) }),
  run: ({ tx }, input) => readSpend(tx, input.by, periodOf(input), input.limit, 'visible'),
});

const most = whole({ min: 1, max: 1000, default: 20 });
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
  output: (s) => s.z.object({ items: s.z.array(spendItem(s)) }),
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
  output: (s) => s.z.object({ items: s.z.array(spendRoot(s)) }),
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
