import { randomUUID } from 'node:crypto';
import { beforeAll, describe, expect, onTestFinished, test } from 'vitest';
import { createQueryEmbedder } from '../../../src/daemon/embeddings/query-embedder.ts';
import { prepareEmbeddings } from '../../../src/features/memory/embeddings.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import type { ToolContext } from '../../../src/tools/tool.ts';
import { beginLimited, limit, settled } from '../../support/budgets.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { startOpenAiServer } from '../../support/model-server/openai.ts';
import type { ModelServer } from '../../support/model-server/server.ts';
import { setUpBench } from '../../tools/tool-context.ts';

const target = embeddedDatabase();
const MODEL = { model: 'p/e', dimensions: 2 };
beforeAll(() => prepareEmbeddings(target.database, MODEL));
type Answers = Parameters<typeof startOpenAiServer>[0];

/** A focus, and an embedder whose model costs a dollar per thousand tokens. */
async function begin(answers: Answers = [{}], db: Database = target.database) {
  const faculty = `f_${randomUUID().slice(0, 8)}`;
  const server = await startOpenAiServer(answers);
  onTestFinished(server.close);
  const prices = { input: 1000, output: 0, cacheRead: 0, cacheWrite: 0 };
  const { createLlm } = await import('../../../src/llm/llm.ts');
  const llm = createLlm({
    defaultProvider: 'p',
    providers: { p: { kind: 'openai', baseUrl: `${server.url}/v1`, apiKey: 'a-long-key', retry: { baseDelayMs: 1 } } },
    models: { 'p/e': { prices } },
  });
  onTestFinished(() => llm.stop());
  const embedQuery = createQueryEmbedder({
    db,
    embedder: llm.embedder({ provider: 'p', model: 'e', dimensions: 2 }),
    explain: ({ message }) => `provider p: ${message}`,
  });
  return { server, embedQuery, faculty, focus: () => beginFocus(db, faculty) };
}

async function beginFocus(db: Database, faculty: string): Promise<{ id: string; context: ToolContext }> {
  const work = await beginLimited(db, faculty);
  const { context } = await setUpBench({ ...work.key, faculty });
  return { id: work.id, context };
}

const spentBy = async (faculty: string) =>
  target.database.query(
    `select operation, model, sum(usd)::float8 as usd, sum(input_tokens)::int as tokens, count(*)::int as calls
       from animus.spend_calls where faculty = $1 group by 1, 2`,
    [faculty],
  );

const calls = (server: ModelServer) => server.requests.length;

describe('the embedding of a search', () => {
  const plain = testDatabase();

  test('is charged to the work, with the operation embedding', async () => {
    const { embedQuery, faculty, focus } = await begin();
    const { id, context } = await focus();
    expect(await embedQuery('four words of text', context)).toEqual({ model: 'p/e', vector: [18, 1] });
    expect(await spentBy(faculty)).toEqual([{ operation: 'embedding', model: 'p/e', usd: 0.005, tokens: 5, calls: 1 }]);
    const [row] = await target.database.query(
      'select cost_usd::float8 as usd, input_tokens::int as tokens from animus.work_items where id = $1',
      [id],
    );
    expect(row).toEqual({ usd: 0.005, tokens: 5 });
  });

  test('is paid for once, whoever searches for the same', async () => {
    const { embedQuery, server, focus } = await begin();
    for (const { context } of [await focus(), await focus()]) {
      expect(await embedQuery('the same', context)).toMatchObject({ model: 'p/e' });
    }
    expect(calls(server)).toBe(1);
  });

  test('is missing with a reason when the provider fails, and the next search asks again', async () => {
    const { embedQuery, server, faculty, focus } = await begin([{ status: 401, message: 'no such key' }, {}]);
    const { context } = await focus();
    expect(await embedQuery('a', context)).toEqual({ missing: expect.stringContaining('no such key') });
    expect(await spentBy(faculty)).toEqual([]);
    expect(await embedQuery('a', context)).toMatchObject({ model: 'p/e' });
    expect(calls(server)).toBe(2);
  });

  test('whose answer was lost counts as lost, with the most that it may cost, as an embedding of its model', async () => {
    const { embedQuery, faculty, focus } = await begin([{ finally: 'reset', stopAfter: 0 }]);
    const { id, context } = await focus();
    expect(await embedQuery('some words', context)).toEqual({ missing: expect.any(String) });
    const lost = await target.database.query(
      `select t.lost_requests as requests, t.lost_usd::float8 as usd, t.open_request is null as over
         from animus.turns t join animus.foci f on f.id = t.focus_id where f.work_item_id = $1`,
      [id],
    );
    expect(lost).toEqual([{ requests: 1, usd: 0.017, over: true }]);
    const told = await target.database.query(
      'select model, operation from animus.spend_details where faculty = $1 and lost_requests > 0',
      [faculty],
    );
    expect(told).toEqual([{ model: 'p/e', operation: 'embedding' }]);
  });

  test('is not bought where it could not be used', async () => {
    const { embedQuery, server, focus } = await begin([{}], plain.database);
    const { context } = await focus();
    expect(await embedQuery('a', context)).toEqual({ missing: 'pgvector is not installed in this database' });
    await prepareEmbeddings(target.database, { model: 'p/other', dimensions: 2 });
    const other = await begin();
    const answer = await other.embedQuery('a', (await other.focus()).context);
    expect(answer).toEqual({ missing: 'memories have embeddings of p/other with 2 dimensions, not of p/e with 2' });
    await prepareEmbeddings(target.database, MODEL);
    expect([...server.requests, ...other.server.requests]).toEqual([]);
  });

  test('ends with its focus', async () => {
    const { embedQuery, focus } = await begin([{ delayMs: 60_000 }]);
    const { context } = await focus();
    const stopping = new AbortController();
    const asked = embedQuery('a', { ...context, signal: stopping.signal });
    stopping.abort(new Error('the lease is lost'));
    await expect(asked).rejects.toThrow('the lease is lost');
  });

  test('costs nothing if its focus ends before the next try is sent', async () => {
    const { embedQuery, server, focus } = await begin([{ status: 429, headers: { 'retry-after': '15' } }]);
    const { id, context } = await focus();
    const stopping = new AbortController();
    const asked = embedQuery('a', { ...context, signal: stopping.signal });
    await eventually('the refusal', () => (calls(server) === 1 ? true : null));
    await server.requests[0]!.ended;
    // Until it has arrived, the request may have cost something.
    await new Promise((resolve) => setTimeout(resolve, 300));
    stopping.abort(new Error('cancelled'));
    await expect(asked).rejects.toThrow('cancelled');
    await target.database.query('select animus.release_work($1, $2)', [id, context.leaseToken]);
    const [row] = await target.database.query(`select lost_requests::int as lost from animus.costs('item', $1)`, [id]);
    expect(row).toEqual({ lost: 0 });
  });

  test('is not made for a focus that has lost its lease', async () => {
    const { embedQuery, server, focus } = await begin();
    const { context } = await focus();
    await expect(embedQuery('a', { ...context, leaseToken: '1' })).rejects.toMatchObject({ code: 'work.lease_lost' });
    expect(calls(server)).toBe(0);
  });
});

describe('a limit of the work', () => {
  test('holds what an embedding may cost, counts what it has cost, and gives back the rest', async () => {
    const { embedQuery, faculty, focus } = await begin();
    await limit(target.database, 'item', faculty, 1);
    const { id, context } = await focus();
    expect(await embedQuery('four words of text', context)).toMatchObject({ model: 'p/e' });
    expect(await settled(target.database, 'item', id)).toBe(0.005);
  });

  test('that does not allow the cost is a reason to search by words', async () => {
    const { embedQuery, server, faculty, focus } = await begin();
    await limit(target.database, 'item', faculty, 0.001);
    const missing = 'the limits of this work do not allow the cost of an embedding';
    expect(await embedQuery('four words of text', (await focus()).context)).toEqual({ missing });
    expect(calls(server)).toBe(0);
  });

  test('is not used up by a refused request, and is by one whose answer was lost', async () => {
    const { embedQuery, faculty, focus } = await begin([{ status: 401 }, { finally: 'reset', stopAfter: 0 }]);
    await limit(target.database, 'item', faculty, 1);
    const { id, context } = await focus();
    await embedQuery('words', context);
    expect(await settled(target.database, 'item', id)).toBe(0);
    await embedQuery('words', context);
    expect(await settled(target.database, 'item', id)).toBeGreaterThan(0.002);
  });

  test('holds for parallel searches of one focus one after the other, exactly', async () => {
    const { embedQuery, faculty, focus } = await begin([{ delayMs: 5 }]);
    await limit(target.database, 'item', faculty, 1);
    const { id, context } = await focus();
    const texts = Array.from({ length: 8 }, (_, at) => 'x'.repeat(4 * (at + 1)));
    const made = await Promise.all(texts.map((text) => embedQuery(text, context)));
    expect(made.every((each) => 'vector' in each)).toBe(true);
    expect(await settled(target.database, 'item', id)).toBeCloseTo(0.036, 6);
    expect(await spentBy(faculty)).toMatchObject([{ tokens: 36, calls: 8 }]);
  });
});
