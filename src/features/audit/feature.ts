/** The audit (docs/audit.md): who decided what, and whether the record of it is complete. */
import type { Feature } from '../feature.ts';

export const audit: Feature = {
  name: 'audit',
  tags: { audit: 'Who decided what.' },
  readings: async () => (await import('./readings.ts')).auditReadings,
  commands: {
    audit: {
      summary: 'who decided what: export the decisions, and check that none was changed',
      load: async () => (await import('./commands.ts')).auditCommands,
    },
  },
  doctor: async () => (await import('./doctor.ts')).examineAudit,
};
