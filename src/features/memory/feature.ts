/** Memories (docs/memory.md): everything that others load of them is named here. */
import type { Feature } from '../feature.ts';

export const memory: Feature = {
  name: 'memory',
  tags: { memory: 'What agents and people remember.' },
  operations: async () => (await import('./operations.ts')).memoryOperations,
  commands: {
    memory: {
      summary: 'short texts that later work can find',
      load: async () => (await import('./commands.ts')).memoryCommands,
    },
  },
};
