/** Limits of what work may cost. SQL decides who sets which: docs/budgets.md. */
import { FULL_ID } from '../../core/work/id-reference.ts';
import { choice, number, optional, text } from '../../operations/fields.ts';
import { type Operation, operation } from '../../operations/operation.ts';
import * as store from './store.ts';

const UNITS = ['usd', 'tokens'] as const;
/** Which limit is meant. */
const limitName = {
  scope: choice(['item', 'root', 'faculty', 'appliance'], { description: 'what is limited' }),
  subject: optional(
    text({
      min: 1,
      max: 200,
      description:
        'the id of a work item, or the name of a faculty: with `item` and `root`, each of its items; none for the appliance',
    }),
  ),
  period: choice(['none', 'day', 'month'], { default: 'none', description: 'in UTC; items and roots have none' }),
};

export const listBudgets = operation({
  name: 'listBudgets',
  tag: 'operate',
  summary: 'The limits of what work may cost, and how much of each is used; for operators',
  scope: 'read',
  http: { method: 'GET', path: '/budgets' },
  input: {},
  output: (s) => s.z.object({ items: s.z.array(store.budget(s)) }),
  run: async ({ tx }) => ({ items: await store.listBudgets(tx) }),
});

export const setBudget = operation({
  name: 'setBudget',
  tag: 'operate',
  summary: 'Set a limit: operators any, others a lower one for an item of their own',
  scope: 'work',
  http: { method: 'PUT', path: '/budgets' },
  input: {
    ...limitName,
    unit: choice(UNITS),
    amount: number({ min: 0, max: 1e13, description: 'above 0: to stop work, pause it' }),
    on_exceeded: optional(choice(['wait', 'die'])),
  },
  output: ({ z, warning }) =>
    z.object({
      scope: z.string(),
      subject: z.string().nullable(),
      period: z.string(),
      unit: z.enum(UNITS),
      warning: warning(),
    }),
  errors: ['work.not_found', 'work.invalid'],
  async run({ tx, unserved }, input) {
    await store.setBudget(tx, input);
    const { scope, subject = null, period, unit } = input;
    // A misspelt name would limit nothing.
    const named = subject !== null && !FULL_ID.test(subject.toLowerCase()) ? [subject] : [];
    const warned = await unserved(named, { until: 'the limit applies to nothing', named: true });
    return { scope, subject, period, unit, ...warned };
  },
});

export const removeBudget = operation({
  name: 'removeBudget',
  tag: 'operate',
  summary: 'Remove a limit that a person has set, so that the one in the file applies again; for operators',
  scope: 'decide',
  http: { method: 'DELETE', path: '/budgets' },
  input: { ...limitName, unit: choice(UNITS, { default: 'usd', description: 'of the limit' }) },
  output: ({ z }) => z.object({ removed: z.boolean().describe('false: there was none') }),
  run: async ({ tx }, input) => ({ removed: await store.removeBudget(tx, input) }),
});

export const budgetOperations: readonly Operation[] = [listBudgets, setBudget, removeBudget];
