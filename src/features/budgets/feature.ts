/** What work costs, and its limits (docs/budgets.md): everything that others load of them is named here. What keeps the limits is of the engine. */
import type { Feature } from '../feature.ts';

export const budgets: Feature = {
  name: 'budgets',
  operations: async () => [
    ...(await import('./operations.ts')).budgetOperations,
    ...(await import('./spend-operations.ts')).spendOperations,
  ],
  commands: {
    budget: {
      summary: 'limits of what work may cost',
      load: async () => (await import('./commands.ts')).budgetCommands,
    },
    spend: { load: async () => (await import('./spend-commands.ts')).addSpendCommands },
  },
  service: async () => (await import('./service.ts')).createSpendRollUp,
};
