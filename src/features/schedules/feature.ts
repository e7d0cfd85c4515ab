/** Schedules (docs/schedules.md): everything that others load of them is named here. */
import type { Feature } from '../feature.ts';

export const schedules: Feature = {
  name: 'schedules',
  tags: { schedules: 'Work that is submitted at set times.' },
  operations: async () => (await import('./operations.ts')).scheduleOperations,
  commands: {
    schedule: {
      summary: 'work that is submitted on a schedule',
      load: async () => (await import('./commands.ts')).scheduleCommands,
    },
  },
  service: async () => (await import('./service.ts')).createScheduler,
};
