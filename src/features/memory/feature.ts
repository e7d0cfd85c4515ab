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
  service: async () => (await import('./service.ts')).createMemoryService,
  examine: async () => (await import('./doctor.ts')).examineEmbeddings,
  status: {
    last: true,
    shape: ({ z, timeText }) => ({
      memory: z.object({ vector: z.boolean(), reason: z.string().nullish() }).nullable(),
      embeddings: z
        .object({
          model: z.string(),
          dimensions: z.int(),
          missing: z.int().min(0).describe('memories without an embedding of this model'),
          problem: z.string().nullable(),
          resume_at: timeText().nullable(),
        })
        .nullable()
        .describe('null: no daemon has run with a model for them'),
    }),
    load: async () => (await import('./status.ts')).showMemoryStatus,
  },
};
