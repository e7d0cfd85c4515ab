/** Code in containers (docs/sandbox.md): what people and programs run there. The engine runs that of agents. */
import type { Feature } from '../feature.ts';

export const sandbox: Feature = {
  name: 'sandbox',
  tags: { sandbox: 'Code that runs in a container.' },
  operations: async () => (await import('./operations.ts')).sandboxOperations,
  commands: {
    sandbox: {
      summary: "the containers in which agents' code runs",
      load: async () => (await import('./commands.ts')).sandboxCommands,
    },
  },
};
