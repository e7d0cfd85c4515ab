import type { TestApi } from '../../support/api.ts';
import type { Samples } from '../samples.ts';

const added = async ({ call }: TestApi) =>
  (await call('olga', 'POST', '/webhooks', { body: { url: 'https://example.com/hook' } })).body.id as string;

export const samples: Samples = {
  changes: {
    changeWebhook: async (api) => ({ path: `/webhooks/${await added(api)}`, body: { label: 'pager' } }),
  },
};
