import type { TestApi } from '../../support/api.ts';
import type { Samples } from '../samples.ts';

const scheduled = async ({ call }: TestApi) => {
  const name = `s${crypto.randomUUID()}`;
  const body = { name, cron: '0 3 * * *', faculty: 'engineer' };
  await call('olga', 'POST', '/schedules', { body });
  return name;
};

export const samples: Samples = {
  posts: {
    addSchedule: () => ({ path: '/schedules', body: { name: 'nightly', cron: '0 3 * * *', faculty: 'engineer' } }),
    pauseSchedule: async (api) => ({ path: `/schedules/${await scheduled(api)}/pause` }),
    resumeSchedule: async (api) => {
      const path = `/schedules/${await scheduled(api)}`;
      await api.call('olga', 'POST', `${path}/pause`);
      return { path: `${path}/resume` };
    },
    runSchedule: async (api) => ({ path: `/schedules/${await scheduled(api)}/run` }),
  },
  changes: {
    removeSchedule: async (api) => ({ path: `/schedules/${await scheduled(api)}` }),
  },
  commands: {
    'schedule add': 'nightly @daily clerk Look',
    'schedule run': 'nightly',
    'schedule list': '',
    'schedule pause': 'nightly',
    'schedule resume': 'nightly',
    'schedule remove': 'nightly',
  },
};
