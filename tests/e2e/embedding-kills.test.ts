/** Promise: a daemon that is killed while it asks for embeddings loses none, and buys again only what was under way. */
import { expect, onTestFinished, test } from 'vitest';
import { connectOrOpenEmbedded } from '../../src/store/embedded/connect-embedded.ts';
import { makeSite, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { eventually } from '../support/eventually.ts';
import { startOpenAiServer } from '../support/model-server/openai.ts';

const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "claude-sonnet-4-5"
system_prompt = "You test."
`;
const CONFIG = `
[embeddings]
provider = "openai"
model = "text-embedding-3-small"
dimensions = 2
request_dimensions = false
batch_size = 1
`;

test('memories get their embeddings although the daemon is killed during each kind of request', {
  timeout: 300_000,
}, async () => {
  // The first text is embedded, the second request never answered, then all is well.
  const server = await startOpenAiServer((_, index) => (index === 1 ? { delayMs: 600_000 } : {}), {
    embed: (text) => (text === 'one' ? [1, 0] : [0, 1]),
  });
  onTestFinished(server.close);
  const site = makeSite({ modelUrl: server.url, config: CONFIG, faculties: { clerk: FACULTY } });
  const add = async (text: string) => expect(await runAnimus(site, ['memory', 'add', text])).toMatchObject({ exit: 0 });
  await add('one');
  const first = await startDaemon(site);
  await server.received(1);
  await add('three');
  await server.received(2);
  await first.kill('SIGKILL');

  await startDaemon(site);
  const db = await connectOrOpenEmbedded({ home: site.home });
  onTestFinished(() => db.close());
  // The time of the daemon that was killed is over.
  await db.query('update animus.embedders set until = animus.now()');
  await eventually('every memory has its embedding', async () => {
    const [row] = await db.query<{ missing: number }>(
      'select count(*)::int as missing from animus.memories where embedded_as is null',
    );
    return row!.missing === 0 || null;
  });
  expect(server.requests.map(({ json }) => json?.['input'])).toEqual([['one'], ['three'], ['three']]);
  const found = await runAnimus(site, ['memory', 'search', 'three', '--json']);
  expect(JSON.parse(found.stdout)).toMatchObject({
    by_vectors: true,
    memories: [{ content: 'three', vector_rank: 1 }, {}],
  });
  const [spent] = await db.query<{ calls: number }>(
    `select sum(calls)::int as calls from animus.spend_details where operation = 'embedding' and faculty = '(memory)'`,
  );
  // Two stored, and one search; the request that was cut is not known to have cost anything.
  expect(spent!.calls).toBe(3);
});
