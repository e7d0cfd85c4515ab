/** Webhooks (docs/webhooks.md): everything that others load of them is named here. */
import type { Feature } from '../feature.ts';

export const webhooks: Feature = {
  name: 'webhooks',
  tags: { webhooks: 'Signed requests that tell other servers what happened.' },
  operations: async () => (await import('./operations.ts')).webhookOperations,
  commands: {
    webhook: {
      summary: 'signed requests to an address about changes of work and approvals that wait',
      load: async () => (await import('./commands.ts')).webhookCommands,
    },
  },
  service: async () => (await import('./service.ts')).createWebhookService,
  prune: { counted: 'deliveries', load: async () => (await import('./deliveries.ts')).pruneDeliveries },
  doctor: async () => (await import('./doctor.ts')).examineWebhooks,
  status: {
    shape: ({ z }) => ({
      webhooks: z
        .object({
          dead: z.int().min(0).describe('deliveries that failed permanently'),
          late: z.int().min(0).describe('deliveries that no daemon sends'),
          full: z.int().min(0).describe('webhooks whose new deliveries become dead letters, because too many wait'),
          dropping: z.int().min(0).describe('webhooks whose events are lost, because too many wait'),
        })
        .describe('numbers of deliveries stop at 1,000'),
    }),
    load: async () => (await import('./doctor.ts')).showWebhookStatus,
  },
};
