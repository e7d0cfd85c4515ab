import type { TestApi } from '../../support/api.ts';
import type { Samples } from '../samples.ts';

const submitted = async ({ call }: TestApi) =>
  (await call('olga', 'POST', '/work', { body: { faculty: 'engineer' } })).body.id as string;

export const samples: Samples = {
  changes: {
    changeWork: async (api) => ({ path: `/work/${await submitted(api)}`, body: { priority: 7 } }),
  },
};
