import { afterEach, describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../src/llm/client.ts';
import { isFailureOfTheWorld } from '../../src/llm/client.ts';
import { completeWithFallback } from '../../src/llm/fallback.ts';
import { createLlm, type Llm } from '../../src/llm/llm.ts';
import type { ProviderSettings } from '../../src/llm/provider-settings.ts';
import { parseScript } from '../../src/llm/scripted/script.ts';
import { startAnthropicServer, text } from '../support/model-server/anthropic.ts';
import { startOpenAiServer } from '../support/model-server/openai.ts';
import type { ModelServer } from '../support/model-server/server.ts';
import { answered, failed, requestOf } from './llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function open(server: Promise<ModelServer>): Promise<ModelServer> {
  const started = await server;
  opened.push(started.close);
  return started;
}

function llmWith(providers: Readonly<Record<string, ProviderSettings>>): Llm {
  const llm = createLlm({ providers, defaultProvider: Object.keys(providers)[0] ?? '' });
  opened.push(() => llm.stop());
  return llm;
}

const NO_RETRY = { retry: { maxAttempts: 1 } };
const anthropicAt = (server: ModelServer) =>
  ({ kind: 'anthropic', baseUrl: server.url, apiKey: 'k', ...NO_RETRY }) as const;
const openaiAt = (server: ModelServer) =>
  ({ kind: 'openai', baseUrl: `${server.url}/v1`, apiKey: 'k', ...NO_RETRY }) as const;

describe('model names', () => {
  const script = parseScript('[[answer]]\ntext = "hi"', 's.toml');
  const scripted = { kind: 'scripted', script: () => script } as const;

  test('are provider/model, or without a slash a model of the default provider', () => {
    const llm = llmWith({ demo: scripted, other: scripted });
    expect(llm.resolve('other/a')).toMatchObject({ provider: 'other', model: 'a', kind: 'scripted' });
    expect(llm.resolve('a')).toMatchObject({ provider: 'demo', model: 'a' });
    expect(llm.resolve('other/meta/llama-9')).toMatchObject({ provider: 'other', model: 'meta/llama-9' });
  });

  test('of a provider that is not there are refused by name', () => {
    const llm = createLlm({ providers: { other: scripted }, defaultProvider: 'anthropic' });
    expect(() => llm.resolve('claude')).toThrow(
      'model claude: no provider named anthropic is configured (known: other)',
    );
    // It may have been the name of a provider that was renamed or removed: the default one must not get its words.
    const withDefault = llmWith({ demo: scripted, other: scripted });
    expect(() => withDefault.resolve('meta/llama-9')).toThrow(
      'model meta/llama-9: no provider named meta is configured (known: demo, other)',
    );
  });
});

describe('fallback', () => {
  const { model: _, ...request } = requestOf({ tools: [] });

  async function fall(first: Parameters<typeof startAnthropicServer>[0], canDiscard?: boolean, payOnce = false) {
    const one = await open(startAnthropicServer(first));
    const two = await open(startOpenAiServer([{ text: 'second' }]));
    const llm = llmWith({ one: anthropicAt(one), two: openaiAt(two) });
    const events: LlmEvent[] = [];
    const seen = canDiscard === undefined ? {} : { canDiscard, onEvent: (event: LlmEvent) => void events.push(event) };
    const models = [llm.resolve('one/a'), llm.resolve('two/b')] as const;
    const { result, used } = await completeWithFallback(models, request, {
      signal: AbortSignal.timeout(20_000),
      payOnce,
      ...seen,
    });
    return { result, used, events, asked: two.requests.length };
  }

  test.each([{ status: 529 }, { status: 401 }, { status: 402 }, { status: 404 }, { status: 429 }])(
    'goes on to the next model after %j, and the answer says so',
    async (failure) => {
      const { result, used } = await fall([failure]);
      expect(answered(result)).toMatchObject({ content: [{ type: 'text', text: 'second' }], provider: 'two' });
      expect(answered(result).fellBackFrom).toMatchObject([
        { provider: 'one', model: 'a', httpStatus: failure.status },
      ]);
      expect(used).toMatchObject({ provider: 'two', model: 'b' });
    },
  );

  test.each([{ status: 400 }, { status: 400, message: 'prompt is too long: 9 tokens > 8 maximum' }])(
    'does not carry a wrong request on: %j',
    async (failure) => {
      const { result, asked } = await fall([failure]);
      expect(failed(result)).toMatchObject({ provider: 'one', attempts: 1 });
      expect(asked).toBe(0);
    },
  );

  const half = [{ content: [text('half of it')], stopAfter: 4, finally: 'reset' }] as const;

  test('takes back what the first model had said, where that can be', async () => {
    const { result, events } = await fall(half, true);
    answered(result);
    expect(events.map(({ type }) => type)).toEqual(['text', 'restart', 'text']);
  });

  test('asks no further model where a request that broke off may be paid for once only', async () => {
    const { result, asked } = await fall(half, true, true);
    expect(failed(result).kind).toBe('connection');
    expect(asked).toBe(0);
    expect((await fall([{ status: 529 }], true, true)).asked).toBe(1);
  });

  test('stays with the failure where it cannot', async () => {
    const { result, asked } = await fall(half, false);
    expect(failed(result).kind).toBe('connection');
    expect(asked).toBe(0);
  });

  test('of which all fail is a failure of the world when one of them is', async () => {
    const one = await open(startAnthropicServer([{ status: 404 }]));
    const two = await open(startOpenAiServer([{ status: 503 }]));
    const llm = llmWith({ one: anthropicAt(one), two: openaiAt(two) });
    const models = [llm.resolve('one/a'), llm.resolve('two/b')] as const;
    const { result } = await completeWithFallback(models, request, { signal: AbortSignal.timeout(20_000) });
    const failure = failed(result);
    expect(isFailureOfTheWorld(failure)).toBe(true);
    expect(failure).toMatchObject({ kind: 'overloaded', provider: 'two', attempts: 2 });
    expect(failure.message).toMatch(/^one\/a: .*; then two\/b: /);
  });
});

describe('a probe', () => {
  const signal = AbortSignal.timeout(20_000);

  test('finds the model in the list, or misses it', async () => {
    const server = await open(startOpenAiServer([], { models: ['good'] }));
    const llm = llmWith({ p: openaiAt(server) });
    expect(await llm.probe('p/good', signal)).toMatchObject({ ok: true, listed: true });
    expect(await llm.probe('p/bad', signal)).toMatchObject({ ok: true, listed: false });
  });

  test('asks the model where there is no list', async () => {
    const server = await open(startAnthropicServer([{ content: [text('ok')] }]));
    expect(await llmWith({ p: anthropicAt(server) }).probe('p/m', signal)).toMatchObject({ ok: true, listed: null });
    expect(server.requests.map(({ method }) => method)).toEqual(['GET', 'POST']);
  });

  test('reports a wrong key', async () => {
    const server = await open(startOpenAiServer([]));
    const llm = llmWith({ p: { ...openaiAt(server), apiKey: null } });
    expect(await llm.probe('p/m', signal)).toMatchObject({ ok: false, failure: { kind: 'credentials', attempts: 1 } });
  });
});
