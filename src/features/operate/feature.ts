/** Faculties, pauses, models and the status: everything that others load of them is named here. */
import type { Feature } from '../feature.ts';

export const operate: Feature = {
  name: 'operate',
  tags: { operate: 'Faculties, pauses, status and spend.' },
  operations: async (all) => (await import('./operations.ts')).operateOperations(all),
  commands: {
    status: { load: async () => (await import('./status/status-command.ts')).status },
    pause: { load: async () => (await import('./pause-commands.ts')).pause },
    resume: { load: async () => (await import('./pause-commands.ts')).resume },
    models: { load: async () => (await import('./models/models.ts')).models },
  },
};
