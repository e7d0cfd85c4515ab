/** What was recorded of work: everything that others load of it is named here. */
import type { Feature } from '../feature.ts';

export const record: Feature = {
  name: 'record',
  tags: { record: 'What was recorded of work: ledger, foci, turns and tool calls.' },
  operations: async () => (await import('./operations.ts')).recordOperations,
  commands: {
    ledger: {
      summary: 'the append-only record of a work item',
      load: async () => (await import('./commands.ts')).ledgerCommands,
    },
  },
};
