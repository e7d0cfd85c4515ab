import { describe, expect, it, onTestFinished } from 'vitest';
import type { BatchAnswer } from '../../../src/llm/batch/batch-api.ts';
import type { BatchHttp } from '../../../src/llm/batch/batch-http.ts';
import { createLlm, type ProviderBatches } from '../../../src/llm/llm.ts';
import { type RecordedRequest, type Reply, startServer } from '../../support/model-server/server.ts';
import { instantClock } from '../instant-clock.ts';

const KEY = 'sk-secret-secret-secret';

async function open(
  kind: 'anthropic' | 'openai',
  reply: (request: RecordedRequest, index: number) => Reply,
): Promise<{
  readonly api: ProviderBatches['api'];
  readonly http: BatchHttp;
  readonly httpOf: (model: string) => BatchHttp;
  readonly requests: readonly RecordedRequest[];
}> {
  const server = await startServer(reply);
  const llm = createLlm(
    {
      providers: { p: { kind, baseUrl: server.url, apiKey: KEY } },
      defaultProvider: 'p',
      models: { 'p/m': { headers: { 'x-team': 'agents' } } },
    },
    { clock: instantClock() },
  );
  onTestFinished(async () => {
    await llm.stop();
    await server.close();
  });
  const { api, http } = llm.batches('p')!;
  const httpOf = (model?: string) => http(new AbortController().signal, 60_000, model);
  return { api, http: httpOf(), httpOf, requests: server.requests };
}

const ok = (body: unknown): Reply => ({ status: 200, parts: [typeof body === 'string' ? body : JSON.stringify(body)] });
const failing = (status: number, message = 'no'): Reply => ({
  status,
  parts: [JSON.stringify({ type: 'error', error: { type: 'invalid_request_error', message } })],
});
const BATCH = { id: 'b1', path: '/v1/messages', headers: {}, requests: [{ id: 'r1', body: '{"model":"m"}' }] };

describe('a submit', () => {
  it.each([
    ['taken', ok({ id: 'theirs' }), 'submitted'],
    ['refused', failing(400), 'refused'],
    ['without a login', failing(401), 'refused'],
    ['too many', failing(429), 'refused'],
    ['in conflict', failing(409), 'unclear'],
    ['failed at the server', failing(500), 'unclear'],
    ['overloaded', failing(529), 'unclear'],
    ['not supported at this address', failing(501), 'refused'],
    ['answered without an id', ok({}), 'unclear'],
    ['answered with something else', ok('<html>'), 'unclear'],
    ['cut', { status: 200, parts: ['{"id":"th'], finally: 'reset' } satisfies Reply, 'unclear'],
  ])('that is %s is sent once', async (_, reply, kind) => {
    const { api, http, requests } = await open('anthropic', () => reply);
    expect(await api.submit(BATCH, http)).toMatchObject({ kind });
    expect(requests).toHaveLength(1);
  });

  it('has the configured headers of its model', async () => {
    const { api, http, httpOf, requests } = await open('anthropic', () => ok({ id: 'theirs' }));
    await api.submit(BATCH, httpOf('m'));
    await api.submit(BATCH, httpOf('other'));
    await api.submit(BATCH, http);
    expect(requests.map(({ headers }) => headers['x-team'])).toEqual(['agents', undefined, undefined]);
  });

  it('whose file cannot be uploaded is refused, after retries: without its file there is no batch', async () => {
    const { api, http, requests } = await open('openai', () => failing(503));
    expect(await api.submit(BATCH, http)).toMatchObject({ kind: 'refused' });
    expect(new Set(requests.map(({ path }) => path))).toEqual(new Set(['/files']));
    expect(requests.length).toBeGreaterThan(1);
  });

  it('that the account or the file is at fault for is not blamed on a request', async () => {
    const blames = async (kind: 'anthropic' | 'openai', reply: Reply) =>
      (await open(kind, () => reply).then(({ api, http }) => api.submit(BATCH, http))) as { ofRequests?: boolean };
    expect(await blames('openai', failing(400))).toMatchObject({ kind: 'refused', ofRequests: false });
    const noMoney = { type: 'error', error: { type: 'billing_error', message: 'no credit' } };
    expect(await blames('anthropic', { status: 402, parts: [JSON.stringify(noMoney)] })).toMatchObject({
      kind: 'refused',
      ofRequests: false,
    });
    expect(await blames('anthropic', failing(400))).toMatchObject({ kind: 'refused', ofRequests: true });
  });

  it('does not repeat secrets that the provider quotes', async () => {
    const { api, http } = await open('anthropic', () => failing(401, `the key ${KEY} is wrong`));
    const submission = await api.submit(BATCH, http);
    expect(submission).toMatchObject({ fault: { message: expect.stringContaining('***') as string } });
    expect(JSON.stringify(submission)).not.toContain(KEY);
  });
});

describe('results', () => {
  const line = (id: string) =>
    JSON.stringify({ custom_id: id, result: { type: 'succeeded', message: { content: [] } } });

  async function read(
    reply: (index: number) => Reply,
  ): Promise<{ answers: Map<string, BatchAnswer>; failed: boolean; requests: number }> {
    const { api, http, requests } = await open('anthropic', (_, index) => reply(index));
    const answers = new Map<string, BatchAnswer>();
    const problem = await api.results('b', (id, answer) => answers.set(id, answer), http);
    return { answers, failed: problem !== null, requests: requests.length };
  }

  it('are read line by line, however they are cut into pieces', async () => {
    const { answers } = await read(() => ({
      status: 200,
      parts: [`${line('a')}\n\n${line('b')}\r\n${line('ü')}`],
      pieceBytes: 1,
    }));
    expect([...answers.keys()]).toEqual(['a', 'b', 'ü']);
  });

  it('that break off are read again', async () => {
    const cut: Reply = { status: 200, parts: [`${line('a')}\n`, line('b').slice(0, 20)], finally: 'reset' };
    const { answers, failed, requests } = await read((index) =>
      index === 0 ? cut : ok(`${line('a')}\n${line('b')}\n`),
    );
    expect([failed, requests, [...answers.keys()]]).toEqual([false, 2, ['a', 'b']]);
  });

  it('with a line that cannot be read keep the other lines, and an answer for that one', async () => {
    const deep = `{"custom_id":"deep","result":${'['.repeat(5000)}${']'.repeat(5000)}}`;
    const { answers, failed } = await read(() => ok(`${line('a')}\n${deep}\nnothing\n${line('b')}\n`));
    expect(failed).toBe(false);
    expect(answers.get('deep')).toEqual({ status: 200, body: null });
    expect([...answers.keys()]).toEqual(['a', 'deep', 'b']);
  });
});

describe('a batch at OpenAI', () => {
  it.each([null, '', undefined])('without a file of errors (%j) has one file of results', async (absent) => {
    const { api, http } = await open('openai', () =>
      ok({
        id: 'b',
        status: 'completed',
        output_file_id: 'file-1',
        error_file_id: absent,
        request_counts: { total: 2, completed: 2, failed: 0 },
      }),
    );
    expect(await api.look('b', http)).toMatchObject({ kind: 'ended', files: ['file-1'], answered: 2 });
  });

  it('without counts has answered none, as far as is known', async () => {
    const { api, http } = await open('openai', () => ok({ id: 'b', status: 'completed', output_file_id: 'file-1' }));
    expect(await api.look('b', http)).toMatchObject({ kind: 'ended', answered: 0 });
  });
});

it.each(['anthropic', 'openai'] as const)('a list of batches without end is given up (%s)', async (kind) => {
  const page = { data: [{ id: 'x', created_at: 4e9 }], has_more: true, last_id: 'x' };
  const { api, http, requests } = await open(kind, () => ok(page));
  const finding = await api.find(
    { id: 'b1', requests: 1, requestIds: ['r1'], sinceMs: 0, known: async () => [], dismissed: new Set() },
    http,
  );
  expect(finding).toMatchObject({ kind: 'failed', fault: { kind: 'protocol' } });
  expect(requests).toHaveLength(200);
});

it('a batch on a later page of the list is found, and each page is asked for once (anthropic)', async () => {
  const row = (id: string, created: number) => ({
    id,
    created_at: new Date(created).toISOString(),
    request_counts: { processing: 1, succeeded: 0, errored: 0, canceled: 0, expired: 0 },
    processing_status: 'in_progress',
  });
  const { api, http, requests } = await open('anthropic', (request) =>
    ok(
      request.path.includes('after_id')
        ? { data: [row('second', 4e12)], has_more: false, last_id: 'second' }
        : { data: [row('first', 4e12)], has_more: true, last_id: 'first/1' },
    ),
  );
  const finding = await api.find(
    { id: 'b1', requests: 1, requestIds: ['r1'], sinceMs: 0, known: async () => [], dismissed: new Set() },
    http,
  );
  // Either may be ours: whose requests they have is known when they have ended.
  expect(finding).toEqual({ kind: 'undecided', candidates: 2 });
  const pages = requests.map(({ path }) => path).filter((path) => path.includes('limit='));
  expect(pages.map((path) => new URL(path, 'http://x').searchParams.get('after_id'))).toEqual([null, 'first/1']);
});
