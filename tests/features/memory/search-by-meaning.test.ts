/** Searches by HTTP and MCP where an embedding model is configured: by words and by meaning, and each result says how it was found. */
import { beforeAll, beforeEach, expect, onTestFinished, test } from 'vitest';
import { searchEmbeddings } from '../../../src/daemon/embeddings/search-embedding.ts';
import { prepareEmbeddings, storeEmbeddings, unembedded } from '../../../src/features/memory/embeddings.ts';
import { createLlm } from '../../../src/llm/llm.ts';
import { storeMemory } from '../../../src/store/memory/memories.ts';
import { connectHttp, use } from '../../http/mcp/mcp-client.ts';
import { startApi } from '../../support/api.ts';
import { embeddedDatabase } from '../../support/database.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';

const target = embeddedDatabase();
const MODEL = { model: 'p/e', dimensions: 2 };
const vectorOf = (text: string) => (/vehicle|car/.test(text) ? [1, 0.1] : [0, 1]);
let server: ModelServer;

beforeAll(async () => {
  const { database: db } = target;
  await prepareEmbeddings(db, MODEL);
  for (const content of ['The car is red', 'The colour of a vehicle is in its papers'])
    await storeMemory(db, { content, everybody: true }, null);
  const rows = (await unembedded(db, MODEL, 10)).filter(({ content }) => content.includes('car'));
  await storeEmbeddings(
    db,
    MODEL,
    rows.map((row) => ({ ...row, vector: vectorOf(row.content) })),
  );
});

beforeEach(async () => {
  server = await startOpenAiServer([{}], { embed: vectorOf });
  return server.close;
});

function serve() {
  const prices = { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 };
  const llm = createLlm({
    defaultProvider: 'p',
    providers: { p: { kind: 'openai', baseUrl: `${server.url}/v1`, apiKey: 'a-long-key', retry: { maxAttempts: 1 } } },
    models: { 'p/e': { prices } },
  });
  onTestFinished(() => llm.stop());
  const embedder = llm.embedder({ provider: 'p', model: 'e', dimensions: 2 });
  return startApi(target.database, { embeddings: searchEmbeddings({ embedder, explain: ({ message }) => message }) });
}

const spent = () =>
  target.database.query(
    `select submitter, count(*)::int as calls from animus.spend_calls where operation = 'embedding' group by 1`,
  );

test('find by both, say how, and are paid for once, by whoever asked first', async () => {
  const { call, url, tokenOf } = await serve();
  const { body } = await call('alice', 'GET', '/memories?query=papers+of+the+vehicle');
  expect(body).toMatchObject({ by_meaning: true, without_meaning: null });
  const how = new Map(body.items.map((item: { content: string; found_by: string }) => [item.content, item.found_by]));
  expect(Object.fromEntries(how)).toEqual({
    'The car is red': 'meaning',
    'The colour of a vehicle is in its papers': 'words',
  });
  const bob = await connectHttp(url, await tokenOf('bob'));
  expect(await use(bob, 'search_memory', { query: 'papers of the vehicle' })).toEqual(body);
  expect(server.requests).toHaveLength(1);
  expect(await spent()).toEqual([{ submitter: 'person:alice', calls: 1 }]);
  const [first] = (await call('alice', 'GET', '/memories?query=red+car')).body.items;
  expect(first).toMatchObject({ content: 'The car is red', found_by: 'both' });
});

test('ask nobody without a query and with words_only', async () => {
  const { call } = await serve();
  const newest = await call('alice', 'GET', '/memories');
  expect(newest.body).toMatchObject({ by_meaning: false, without_meaning: null });
  expect(newest.body.items).toMatchObject([{ found_by: null }, { found_by: null }]);
  expect((await call('alice', 'GET', '/memories?query=car&words_only=true')).body).toMatchObject({
    items: [{ content: 'The car is red', found_by: 'words' }],
    without_meaning: 'as words_only asks',
  });
  expect(server.requests).toHaveLength(0);
});

test('go by words, and say why, where the provider fails, all work is paused, or a limit does not allow it', async () => {
  const { call } = await serve();
  const why = async (query: string) => (await call('alice', 'GET', `/memories?query=${query}`)).body.without_meaning;
  await target.database.query(`select animus.pause('*', 'a test')`);
  expect(await why('lorry')).toBe('all work is paused');
  await target.database.query(`select animus.resume('*')`);
  const limit = async (amount: string) =>
    target.database.query(`select animus.set_budget('appliance', null, 'day', 'tokens', $1::numeric)`, [amount]);
  await limit('1');
  expect(await why('lorry')).toBe('the limits for all work do not allow the cost of an embedding');
  await limit('1000000');
  expect(server.requests).toHaveLength(0);
  await server.close();
  expect(await why('lorry')).toMatch(/connect|reach|refused|fetch/i);
  server = await startOpenAiServer([{}]);
});
