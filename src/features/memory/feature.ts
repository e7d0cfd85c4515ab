/** Memories (docs/memory.md): everything that others load of them is named here. */
import type { RowOf } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
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
    shape: (s) => ({
      memory: s.z.object({ vector: s.z.boolean(), reason: s.z.string().nullish() }).nullable(),
      embeddings: status(s).nullable().describe('null: no daemon has run with a model for them'),
    }),
    load: async () => (await import('./status.ts')).showMemoryStatus,
  },
};

/** How the embeddings of the current model stand: `missing` is counted up to 10,000, `problem` is of the last failure since the last success. */
const status = ({ z, timeText }: Schemas) =>
  z.object({
    model: z.string(),
    dimensions: z.int(),
    missing: z.int().min(0).describe('memories without an embedding of this model'),
    problem: z.string().nullable(),
    resume_at: timeText().nullable(),
  });
export type EmbeddingStatus = RowOf<typeof status>;
