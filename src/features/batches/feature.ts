/** Turns that are asked in batches of the providers (docs/batch.md). That a turn waits for one is the engine's. */
import type { RowOf } from '../../operations/row.ts';
import type { Schemas } from '../../operations/schemas.ts';
import type { Feature } from '../feature.ts';

export const batches: Feature = {
  name: 'batches',
  service: async () => (await import('./service.ts')).createBatchPoller,
  doctor: async () => (await import('./doctor.ts')).examineBatches,
  status: {
    shape: (s) => ({ batches: s.z.array(status(s)).describe('turns that wait for batches, by provider') }),
    load: async () => (await import('./status.ts')).showBatches,
  },
};

/** What `animus status` says of the turns at a provider. */
const status = ({ z, timeText }: Schemas) => {
  const count = () => z.int().min(0);
  return z.object({
    provider: z.string(),
    outbox: count().describe('requests that were not sent'),
    requests: count(),
    batches: count(),
    unclear: count().describe('batches whose submit was not confirmed'),
    oldest_at: timeText().nullable(),
    problem: z.string().nullable(),
  });
};
export type BatchStatus = RowOf<typeof status>;
