/** Promise: memories that lack their embedding go to the provider that [embeddings] names now, with its key. */
import { describe, expect, it } from 'vitest';
import { connectOrOpenEmbedded } from '../../src/store/embedded/connect-embedded.ts';
import { DAEMON, faculty, KEYS, keyOf, type Provider, tableOf } from '../support/changed-provider.ts';
import { makeSite, startDaemon } from '../support/daemon-process.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/model-server/openai.ts';
import { opened } from '../support/provider-site.ts';

describe('memories that lack their embedding', () => {
  const embeddings = (provider: string) =>
    `[embeddings]\nprovider = "${provider}"\nmodel = "text-embedding-3-small"\ndimensions = 2\nrequest_dimensions = false\n`;
  const HOSTS: Readonly<Record<string, readonly [where: string, key: string, Provider | null]>> = {
    rename: ['own', 'key-1', { name: 'renamed', url: 'own' }],
    remove: ['other', 'key-1', { name: 'next', url: 'other' }],
    address: ['other', 'key-1', { url: 'other' }],
    'key variable': ['own', 'key-2', { url: 'own', keyEnv: 'NEXT_KEY' }],
  };

  it.each(Object.entries(HOSTS))(
    'go to the provider that [embeddings] names after: %s',
    async (_, [where, key, provider]) => {
      const servers = { own: await opened(startOpenAiServer([{}])), other: await opened(startOpenAiServer([{}])) };
      const at = (host: string) => `${servers[host as keyof typeof servers].url}/v1`;
      const after = { kind: 'openai', ...provider, url: at(provider!.url) };
      const config = (changed: Provider) => `${DAEMON}${tableOf(changed)}${embeddings(changed.name ?? 'own')}`;
      const site = makeSite({
        modelUrl: null,
        config: config(after),
        faculties: { worker: faculty('worker', after.name ?? 'own') },
      });
      const db = await connectOrOpenEmbedded({ home: site.home });
      await db.query(`select animus.store_memory('The door is green.')`);
      await db.close();
      await startDaemon({ ...site, env: { ...site.env, ...KEYS } });
      await eventually('it was sent', () => servers[where as keyof typeof servers].requests[0] ?? null);
      for (const [host, { requests }] of Object.entries(servers))
        expect(requests.map(keyOf)).toEqual(host === where ? [key] : []);
    },
    120_000,
  );
});
