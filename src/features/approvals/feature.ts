/** Approvals (docs/approvals.md): what waits for a person, and who decides it. */
import type { Feature } from '../feature.ts';

export const approvals: Feature = {
  name: 'approvals',
  tags: { approvals: 'What waits for the decision of a person.' },
  operations: async () => (await import('./operations.ts')).approvalOperations,
  commands: {
    work: { load: async () => (await import('./commands.ts')).approvalCommands },
    inbox: { load: async () => (await import('./inbox.ts')).addInboxCommand },
  },
};
