/** Promise: what a failed request of a script, of embeddings or of a batch costs is what the one table says, and the table is the one of the docs. */
import { readFileSync } from 'node:fs';
import { describe, expect, onTestFinished, test } from 'vitest';
import { FAILURE_COSTS, type FailureCost, type Transport, type Way } from '../../src/llm/failure-costs.ts';
import { createLlm } from '../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { parseScript } from '../../src/llm/scripted/script.ts';
import { tableRows } from '../support/markdown-table.ts';
import type { Reply } from '../support/model-server/server.ts';
import { failing, lostBy, ONE, served } from './failing-calls.ts';
import { call, failed, llmOf } from './llm-call.ts';
import { WORDS } from './raw-wires.ts';

describe('a script', () => {
  const kinds: Readonly<Record<'refused' | 'unanswered', readonly string[]>> = {
    refused: [
      'rate_limit',
      'overloaded',
      'credentials',
      'quota',
      'invalid_request',
      'context_overflow',
      'model_not_found',
      'content_filter',
    ],
    unanswered: ['connection', 'timeout', 'protocol'],
  };
  const play = (toml: string) => {
    const script = parseScript(toml, 'test.toml');
    return call(createLlm({ defaultProvider: 'p', providers: { p: { kind: 'scripted', script: () => script } } }));
  };

  test.each(Object.entries(kinds).flatMap(([way, all]) => all.map((kind) => [kind, way as Way] as const)))(
    'that plays %s costs what %s costs',
    async (kind, way) => {
      const failure = failed(await play(`[[answer]]\nfault = { kind = "${kind}" }\n`));
      expect(failure).toMatchObject({ kind, lost: lostBy(way, 'script') });
    },
  );

  test('that has no answer asks nothing', async () => {
    const failure = failed(await play('[[answer]]\nturn = 7\ntext = "late"\n'));
    expect(failure).toMatchObject({ kind: 'invalid_request', lost: lostBy('unsent', 'script') });
  });
});

describe('embeddings', () => {
  const request = async (kind: 'openai' | 'ollama', reply: Reply, more: Partial<HttpProviderSettings> = {}) => {
    const server = await served(reply);
    const llm = llmOf({ kind, baseUrl: kind === 'openai' ? `${server.url}/v1` : server.url, retry: ONE, ...more });
    onTestFinished(() => llm.stop());
    const embedder = llm.embedder({ provider: 'p', model: 'm', dimensions: 2 });
    return { server, result: await embedder.embed(['some words'], AbortSignal.timeout(20_000)) };
  };
  const json = (value: unknown): Reply => ({ status: 200, parts: [JSON.stringify(value)] });
  const ways: readonly (readonly [Way, string, Reply, Partial<HttpProviderSettings>?])[] = [
    ['refused', 'status 429', { status: 429, parts: ['{}'] }],
    ['refused', 'status 500', { status: 500, parts: ['{}'] }],
    ['gateway', 'status 504', { status: 504, parts: ['gone'] }],
    ['refused_inside', 'a refusal', json({ error: { code: 'rate_limit_exceeded', message: 'model "m" not found' } })],
    ['broke_inside', 'what has no vectors', json({ data: 'none', embeddings: 'none' })],
    ['broke_inside', 'a page', { status: 200, parts: ['<html>'] }],
    ['unanswered', 'cut after the headers', { status: 200, parts: [], finally: 'reset' }],
    ['unanswered', 'cut inside', { status: 200, parts: ['{"data":['], finally: 'reset' }],
    ['unanswered', 'silent', { status: 200, parts: [], delayMs: 20_000 }, { timeouts: { firstByteMs: 100 } }],
  ];

  test.each(ways.flatMap((way) => [['openai', ...way] as const, ['ollama', ...way] as const]))(
    'of %s, %s, %s: cost what the table says',
    async (kind, way, _name, reply, more = {}) => {
      const { result } = await request(kind, reply, more);
      if (result.ok) throw new Error('was answered');
      const lost = lostBy(way, 'embeddings');
      expect(result.failure.lost).toBe(lost);
      expect(result.usage).toEqual(lost > 0 ? { inputTokens: 3, counted: false } : { inputTokens: 0, counted: true });
    },
  );

  test('that are not sent cost nothing', async () => {
    const server = await served(json({}));
    await server.close();
    const llm = llmOf({ kind: 'openai', baseUrl: `${server.url}/v1`, retry: ONE });
    onTestFinished(() => llm.stop());
    const embedder = llm.embedder({ provider: 'p', model: 'm', dimensions: 2 });
    const result = await embedder.embed(['some words'], AbortSignal.timeout(20_000));
    expect(result).toMatchObject({ ok: false, failure: { lost: lostBy('unsent', 'embeddings') } });
  });

  test.each([
    ['openai', { data: [{ index: 0, embedding: [1, 0] }], usage: { prompt_tokens: 0, total_tokens: 0 } }],
    ['openai', { data: [{ index: 0, embedding: [1, 0] }] }],
    ['ollama', { embeddings: [[1, 0]] }],
  ] as const)('of %s whose tokens are not counted are estimated', async (kind, body) => {
    const { result } = await request(kind, json(body));
    expect(result).toMatchObject({ ok: true, usage: { inputTokens: 3, counted: false } });
  });
});

describe('a request of a batch', () => {
  const format = (kind: 'anthropic' | 'openai') => {
    const llm = llmOf({ kind, baseUrl: 'http://127.0.0.1:1/v1' });
    onTestFinished(() => llm.stop());
    return llm.resolve('some-model').batch!;
  };
  const asked = { model: 'some-model', system: 'be brief', tools: [], messages: [], maxTokens: 10 } as const;
  const error = { error: { type: 'overloaded_error', code: 'overloaded', message: 'no' } };
  const stored: readonly (readonly [Way, string, object])[] = [
    ['refused', 'an error without a status', { status: 0, body: error }],
    ['refused', 'status 400', { status: 400, body: error }],
    ['refused', 'status 429', { status: 429, body: error }],
    ['gateway', 'status 502', { status: 502, body: error }],
    [
      'refused_inside',
      'a refusal in place of an answer',
      { status: 200, body: { error: { type: 'rate_limit_error', code: 'rate_limit_exceeded', message: 'no' } } },
    ],
    ['broke_inside', 'what cannot be read', { status: 200, body: null }],
    ['not_run', 'expired', { ended: 'expired' }],
    ['not_run', 'cancelled', { ended: 'cancelled' }],
    ['not_run', 'missing', { ended: 'missing' }],
    ['not_run', 'refused with its batch', { ended: 'not_run' }],
  ];

  test.each(stored.flatMap((each) => [['anthropic', ...each] as const, ['openai', ...each] as const]))(
    'of %s, %s, %s: costs what the table says',
    (kind, way, _name, answer) => {
      const read = format(kind).read(asked, JSON.stringify(answer));
      const lost = read.kind === 'failed' ? read.failure.lost : 0;
      expect(read.kind).toBe(way === 'not_run' ? 'not_run' : 'failed');
      expect(lost).toBe(lostBy(way, 'batch'));
    },
  );

  test('that was answered without counts is estimated', () => {
    const message = {
      type: 'message',
      role: 'assistant',
      content: [{ type: 'text', text: WORDS }],
      stop_reason: 'end_turn',
    };
    const choices = [{ index: 0, message: { role: 'assistant', content: WORDS }, finish_reason: 'stop' }];
    for (const [kind, body] of [
      ['anthropic', message],
      ['openai', { choices }],
    ] as const) {
      const read = format(kind).read(asked, JSON.stringify({ status: 200, body }));
      expect(read).toMatchObject({ kind: 'answered', response: { usage: { output: 10, estimated: true } } });
    }
  });
});

test('each cell of the table is walked by one of the tests above', () => {
  const walked: Readonly<Record<Transport, readonly Way[]>> = {
    http: Object.keys(failing) as Way[],
    script: ['refused', 'unanswered', 'unsent'],
    embeddings: ['unsent', 'refused', 'gateway', 'refused_inside', 'broke_inside', 'unanswered'],
    // A batch is submitted and looked at by calls that cost nothing, whatever becomes of them (batch-http.test.ts).
    batch: ['refused', 'gateway', 'refused_inside', 'broke_inside', 'not_run', 'unsent', 'unanswered'],
  };
  for (const [way, costs] of Object.entries(FAILURE_COSTS)) {
    for (const [transport, cost] of Object.entries(costs)) {
      expect([way, transport, walked[transport as Transport].includes(way as Way)]).toEqual([
        way,
        transport,
        cost !== null,
      ]);
    }
  }
});

test('docs/models.md shows this table', () => {
  const page = readFileSync(new URL('../../docs/models.md', import.meta.url), 'utf8');
  const cellOf = (cost: FailureCost | null): string => cost ?? '–';
  const shown = tableRows(page).flatMap(([way = '', http, embeddings, batch, script]) => {
    const name = /^`(\w+)`: /.exec(way)?.[1];
    return name === undefined || !(name in FAILURE_COSTS) ? [] : [[name, { http, embeddings, batch, script }] as const];
  });
  const declared = Object.entries(FAILURE_COSTS).map(([way, costs]) => [
    way,
    Object.fromEntries(Object.entries(costs).map(([transport, cost]) => [transport, cellOf(cost)])),
  ]);
  expect(Object.fromEntries(shown)).toEqual(Object.fromEntries(declared));
});
