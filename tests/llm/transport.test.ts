import { once } from 'node:events';
import { type AddressInfo, createServer as createTcpServer } from 'node:net';
import { afterEach, describe, expect, test } from 'vitest';
import type { LlmEvent, LlmResult } from '../../src/llm/client.ts';
import { createLlm, type Llm, type LlmEnvironment } from '../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { startAnthropicServer, text, toolUse } from '../support/model-server/anthropic.ts';
import { type ModelServer, type Reply, startServer } from '../support/model-server/server.ts';
import { instantClock } from './instant-clock.ts';
import { answered, call, failed, llmOf, requestOf } from './llm-call.ts';

const opened: (() => Promise<void>)[] = [];

afterEach(async () => {
  for (const end of opened.splice(0).toReversed()) await end();
});

async function serve(...args: Parameters<typeof startAnthropicServer>): Promise<ModelServer> {
  const server = await startAnthropicServer(...args);
  opened.push(server.close);
  return server;
}

async function serveRaw(reply: Reply): Promise<ModelServer> {
  const server = await startServer(() => reply);
  opened.push(server.close);
  return server;
}

/** A TCP server that treats each connection as it is told. */
async function serveTcp(onData: (write: (bytes: Buffer) => void) => void): Promise<number> {
  const server = createTcpServer((socket) => {
    socket.on('error', () => undefined);
    socket.once('data', () => onData((bytes) => socket.end(bytes)));
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  opened.push(async () => void server.close());
  return (server.address() as AddressInfo).port;
}

function connect(baseUrl: string, settings: Partial<HttpProviderSettings> = {}, environment: LlmEnvironment = {}): Llm {
  const llm = llmOf({ kind: 'anthropic', baseUrl, ...settings }, environment);
  opened.push(() => llm.stop());
  return llm;
}

const HI = { content: [text('hi')] };
const ONCE = { retry: { maxAttempts: 1 } };

describe('time-outs are distinguished', () => {
  test('no response headers', async () => {
    const server = await serve([{ ...HI, delayMs: 20_000 }]);
    const failure = failed(await call(connect(server.url, { ...ONCE, timeouts: { firstByteMs: 500 } })));
    expect(failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('first-byte') });
    expect(await (await server.received(1)).ended).toEqual({ cutByClient: true });
  });

  test('a stream that falls silent', async () => {
    const server = await serve([{ ...HI, stopAfter: 4, finally: 'stall' }]);
    const failure = failed(await call(connect(server.url, { ...ONCE, timeouts: { streamIdleMs: 60 } })));
    expect(failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('stream-idle') });
    expect(await (await server.received(1)).ended).toEqual({ cutByClient: true });
  });

  test('a slow drip is not silence', async () => {
    const server = await serve([{ ...HI, pieceBytes: 40, everyMs: 5 }]);
    answered(await call(connect(server.url, { ...ONCE, timeouts: { streamIdleMs: 2_000 } })));
  });

  test('a drip without end meets the total time-out, which is not tried again', async () => {
    const drip = ': nothing to say\n\n'.repeat(10_000);
    const server = await serveRaw({ status: 200, parts: [drip], pieceBytes: 18, everyMs: 5 });
    const failure = failed(await call(connect(server.url, { timeouts: { totalMs: 150 } })));
    expect(failure).toMatchObject({ kind: 'timeout', attempts: 1, message: expect.stringContaining('total') });
  });

  test('a handshake that never comes', async () => {
    const port = await serveTcp(() => undefined);
    const settings = { ...ONCE, timeouts: { connectMs: 300 } };
    const failure = failed(await call(connect(`https://127.0.0.1:${port}`, settings)));
    expect(failure).toMatchObject({ kind: 'timeout', message: expect.stringContaining('connect time-out') });
  });

  test('a faculty may shorten them for its calls', async () => {
    const server = await serve([{ ...HI, stopAfter: 4, finally: 'stall' }]);
    const { client } = connect(server.url, ONCE).resolve('some-model');
    const signal = AbortSignal.timeout(20_000);
    expect(failed(await client.complete(requestOf(), { signal, timeouts: { streamIdleMs: 40 } })).kind).toBe('timeout');
  });
});

describe('connections', () => {
  test('calls one after the other share a connection', async () => {
    const server = await serve([HI]);
    const llm = connect(server.url);
    for (let n = 0; n < 10; n += 1) answered(await call(llm));
    // A second one opens where a call begins before the first has given its connection back.
    expect(server.connections()).toBeLessThanOrEqual(2);
  });

  test('a port without a listener is a connection failure after all attempts', async () => {
    const server = await serve([HI]);
    await server.close();
    opened.length = 0;
    expect(failed(await call(connect(server.url)))).toMatchObject({
      kind: 'connection',
      attempts: 4,
      httpStatus: null,
    });
  });

  test('an answer is complete at its end marker, though the server leaves the response open', async () => {
    const server = await serve([{ ...HI, finally: 'stall' }]);
    const response = answered(await call(connect(server.url)));
    expect(response.durationMs).toBeLessThan(3_000);
  });

  test('what is not HTTP is a value too', async () => {
    const port = await serveTcp((write) => write(Buffer.from('\x16\x03\x01 this is no HTTP\r\n\r\n')));
    expect(failed(await call(connect(`http://127.0.0.1:${port}`, ONCE))).kind).toBe('connection');
  });

  test('an event without end is refused before it fills the memory', async () => {
    const part = Buffer.alloc(1024 * 1024, 'x');
    const server = await serveRaw({ status: 200, parts: ['data: "', ...Array.from({ length: 40 }, () => part)] });
    const failure = failed(await call(connect(server.url, ONCE)));
    expect(failure).toMatchObject({ kind: 'protocol', message: expect.stringContaining('too large') });
  });

  test('half a character in a tool result does not spoil the conversation', async () => {
    const server = await serve([HI]);
    const messages = [
      { role: 'user', content: [{ type: 'text', text: 'cut \ud83d here, and \\ud83d as text' }] },
    ] as const;
    answered(await call(connect(server.url), { messages }));
    expect(server.requests[0]?.body.toString()).toContain('cut \ufffd here, and \\\\ud83d as text');
  });
});

describe('retries', () => {
  test('back off with full jitter', async () => {
    const clock = instantClock();
    const server = await serve([{ status: 529 }]);
    const llm = connect(server.url, { retry: { baseDelayMs: 1000 } }, { clock, random: () => 0.5 });
    expect(failed(await call(llm))).toMatchObject({ kind: 'overloaded', attempts: 4 });
    expect(clock.sleeps).toEqual([500, 1000, 2000]);
  });

  test.each([
    [{ 'retry-after': '7' }, 7000],
    [{ 'retry-after': '0.25' }, 250],
    [{ 'retry-after-ms': '1234', 'retry-after': '9' }, 1234],
    [{ 'retry-after': 'Thu, 01 Jan 2026 00:00:30 GMT' }, 30_000],
    [{ 'retry-after': 'soon' }, null],
    [{ 'retry-after': '-5' }, null],
  ])('wait as long as %j says', async (headers, ms) => {
    const clock = instantClock();
    const server = await serve([{ status: 503, headers }, HI]);
    answered(await call(connect(server.url, {}, { clock, random: () => 0 })));
    expect(clock.sleeps).toEqual([ms ?? 0]);
  });

  test('are left out where the provider says so', async () => {
    const server = await serve([{ status: 500, headers: { 'x-should-retry': 'false' } }]);
    expect(failed(await call(connect(server.url))).attempts).toBe(1);
  });

  test('an abort while backing off ends the call', async () => {
    const server = await serve([{ status: 529 }]);
    const controller = new AbortController();
    const { client } = connect(server.url, { retry: { baseDelayMs: 600_000 } }, { random: () => 0.9 }).resolve('m');
    const pending = client.complete(requestOf(), { signal: controller.signal });
    await (await server.received(1)).ended;
    controller.abort();
    expect(failed(await pending).kind).toBe('aborted');
  });

  test('an abort before the call makes no request', async () => {
    const server = await serve([HI]);
    const { client } = connect(server.url).resolve('m');
    expect(failed(await client.complete(requestOf(), { signal: AbortSignal.abort() }))).toMatchObject({
      kind: 'aborted',
      attempts: 0,
    });
    expect(server.requests).toHaveLength(0);
  });
});

describe('a stream that breaks', () => {
  const broken = { content: [text('one two three four'), toolUse('a', 'read_file', { path: 'x' })], stopAfter: 6 };

  async function run(finish: { finally: 'reset' | 'end' } | { errorEvent: string }, canDiscard: boolean | null) {
    const server = await serve([{ ...broken, ...finish }, { content: [text('whole')] }]);
    const { client } = connect(server.url).resolve('m');
    const events: LlmEvent[] = [];
    const options = canDiscard === null ? {} : { canDiscard, onEvent: (event: LlmEvent) => void events.push(event) };
    const result = await client.complete(requestOf(), { signal: AbortSignal.timeout(20_000), ...options });
    return { result, events };
  }

  const ways = [{ finally: 'reset' }, { finally: 'end' }, { errorEvent: 'overloaded_error' }] as const;

  test.each(ways)('is retried when the caller has seen nothing: %j', async (way) => {
    const { result } = await run(way, null);
    expect(answered(result)).toMatchObject({ content: [{ type: 'text', text: 'whole' }], attempts: 2 });
  });

  test.each(ways)('is tried again when what was seen can be discarded, which is said: %j', async (way) => {
    const { result, events } = await run(way, true);
    answered(result);
    const at = events.findIndex((event) => event.type === 'restart');
    expect(at).toBeGreaterThan(0);
    expect(events.slice(at + 1)).toEqual([{ type: 'text', text: 'whole' }]);
  });

  test.each(ways)('fails when content was passed on for good: %j', async (way) => {
    const { result, events } = await run(way, false);
    expect(failed(result).attempts).toBe(1);
    expect(events.some((event) => event.type === 'restart')).toBe(false);
  });
});

function twoProviders(server: ModelServer, keys: readonly [string, string], clock = instantClock()) {
  const provider = (apiKey: string) => ({ kind: 'anthropic', baseUrl: server.url, apiKey, ...ONCE }) as const;
  const llm = createLlm({ defaultProvider: 'a', providers: { a: provider(keys[0]), b: provider(keys[1]) } }, { clock });
  opened.push(() => llm.stop());
  return { llm, clock };
}

describe('a rate limit', () => {
  const LIMITED = { status: 429, headers: { 'retry-after': '20' } };

  test('pauses every call under the same key, whatever the provider is called', async () => {
    const { llm, clock } = twoProviders(await serve([LIMITED, HI]), ['same', 'same']);
    expect(failed(await call(llm, { model: 'a/m' })).retryAfterMs).toBe(20_000);
    answered(await call(llm, { model: 'b/m' }));
    expect(clock.sleeps).toEqual([20_000]);
  });

  test('does not pause another key', async () => {
    const { llm, clock } = twoProviders(await serve([LIMITED, HI]), ['one', 'other']);
    failed(await call(llm, { model: 'a/m' }));
    answered(await call(llm, { model: 'b/m' }));
    expect(clock.sleeps).toEqual([]);
  });

  test('that lasts longer than a call should hang fails at once, and later calls without asking', async () => {
    const server = await serve([{ status: 429, headers: { 'retry-after': '3600' } }]);
    const clock = instantClock();
    const llm = connect(server.url, { retry: { maxRetryAfterMs: 3_600_000 } }, { clock });
    expect(failed(await call(llm))).toMatchObject({ kind: 'rate_limit', retryAfterMs: 3_600_000, attempts: 1 });
    expect(failed(await call(llm))).toMatchObject({ kind: 'rate_limit', retryAfterMs: 3_600_000, attempts: 0 });
    expect(server.requests).toHaveLength(1);
    await clock.sleep(3_600_000);
    expect(failed(await call(llm)).attempts).toBe(1);
  });

  test.each([
    ['retry-after', '1763811234', '1763811234 s'],
    ['retry-after', '1'.padEnd(24, '0'), '1e+23 s'],
    ['retry-after', '9'.repeat(400), 'Infinity s'],
    ['retry-after', 'Fri, 31 Dec 9999 23:59:59 GMT', '251'],
    ['retry-after-ms', '1763811234000', '1763811234 s'],
  ])('is bounded, whatever %s says (%s), and the message says what was asked', async (name, value, asked) => {
    for (const kind of ['anthropic', 'openai'] as const) {
      const server = await serveRaw({ status: 429, headers: { [name]: value }, parts: [] });
      const clock = instantClock();
      const llm = connect(server.url, { kind }, { clock });
      const failure = failed(await call(llm));
      expect(failure).toMatchObject({ kind: 'rate_limit', retryAfterMs: 600_000, attempts: 1 });
      expect(failure.message).toContain(`the provider asked to wait ${asked}`);
      expect(failure.message).toContain('limited to 600 s');
      // The key is free again after that time, for everybody.
      await clock.sleep(600_000);
      expect(failed(await call(llm)).attempts).toBe(1);
      if (kind === 'anthropic') continue;
      await clock.sleep(600_000);
      const embedder = llm.embedder({ provider: 'p', model: 'm', dimensions: null });
      const embedded = await embedder.embed(['a'], AbortSignal.timeout(20_000));
      expect(embedded).toMatchObject({ ok: false, failure: { retryAfterMs: 600_000 } });
    }
  });

  test('may be bounded by the configuration of the provider', async () => {
    const server = await serve([{ status: 503, headers: { 'retry-after': '7200' } }]);
    const llm = connect(server.url, { retry: { maxRetryAfterMs: 5_400_000 } }, { clock: instantClock() });
    expect(failed(await call(llm)).retryAfterMs).toBe(5_400_000);
  });

  test('calls that wait for the same pause all go on, and one that is aborted does not', async () => {
    const server = await serve([LIMITED, HI]);
    const llm = connect(server.url, { retry: { maxAttempts: 1, maxWaitMs: 60_000 } });
    const limited = await startAnthropicServer([{ status: 429, headers: { 'retry-after-ms': '150' } }, HI]);
    opened.push(limited.close);
    const quick = connect(limited.url, ONCE);
    failed(await call(quick));
    const waiting = Array.from({ length: 5 }, () => call(quick));
    expect((await Promise.all(waiting)).every((result) => result.ok)).toBe(true);
    failed(await call(llm));
    const controller = new AbortController();
    const pending: Promise<LlmResult> = llm.resolve('m').client.complete(requestOf(), { signal: controller.signal });
    controller.abort();
    expect(failed(await pending)).toMatchObject({ kind: 'aborted', attempts: 0 });
  });
});

describe('secrets', () => {
  test('a redirect is not followed, and nothing goes to the other host', async () => {
    const other = await serve([HI]);
    const location = `${other.url}/v1/messages?token=sesame`;
    const server = await serveRaw({ status: 307, headers: { location }, parts: [] });
    const failure = failed(await call(connect(server.url)));
    expect(failure).toMatchObject({ kind: 'connection', attempts: 1, httpStatus: 307 });
    expect(failure.message).toContain(`redirects to ${other.url}/v1/messages; redirects are not followed`);
    expect(failure.message).not.toContain('sesame');
    expect(other.requests).toHaveLength(0);
  });

  test('user, password and query of a base URL work and are never shown', async () => {
    const server = await serveRaw({ status: 500, parts: ['wrong: robot p%40ss p@ss cm9ib3Q6cEBzcw== topsecret'] });
    const url = new URL(server.url);
    url.username = 'robot';
    url.password = 'p@ss';
    url.search = '?code=topsecret';
    const failure = failed(await call(connect(url.href, { ...ONCE, apiKey: null })));
    expect(server.requests[0]).toMatchObject({
      path: '/v1/messages?code=topsecret',
      headers: { authorization: `Basic ${Buffer.from('robot:p@ss').toString('base64')}` },
    });
    expect(failure.message).toBe('HTTP 500: wrong: *** *** *** *** ***');
  });

  describe('are masked before a text is cut', () => {
    // Of a cut key, no mask would recognise the rest.
    const KEY = `tok.${'0123456789abcdef'.repeat(4)}`;
    const leaks = (text: string) => /0123456789/.test(text);

    async function failure(reply: Reply, settings: Partial<HttpProviderSettings> = {}) {
      const server = await serveRaw(reply);
      return failed(await call(connect(server.url, { ...ONCE, apiKey: KEY, ...settings })));
    }
    const at = (chars: number) => `${'x '.repeat(chars / 2)}${KEY}`;

    test.each([
      ['the body of an error', { status: 400, parts: [at(280)] }],
      ['a message of an error', { status: 400, parts: [JSON.stringify({ error: { message: at(580) } })] }],
      ['a body that is no answer', { status: 200, parts: [at(280)] }],
      ['an event that is not JSON', { status: 200, parts: [`data: ${at(180)}\n\n`] }],
      [
        'an error in the stream',
        { status: 200, parts: [`data: {"type":"error","error":{"message":"${at(560)}"}}\n\n`] },
      ],
      [
        'an error body longer than what is read',
        { status: 400, parts: [`${' '.repeat(64 * 1024 - 20)}${KEY}`.repeat(9)] },
      ],
      [
        'an event longer than what is quoted',
        { status: 200, parts: [`data: ${' '.repeat(64 * 1024 - 70)}${KEY}\n\n`] },
      ],
    ])('%s', async (_, reply) => {
      for (const kind of ['anthropic', 'openai'] as const) {
        const { message } = await failure(reply, { kind });
        expect(message.length).toBeLessThanOrEqual(600);
        expect(leaks(message)).toBe(false);
      }
    });

    test('request ids', async () => {
      const { requestId } = await failure({
        status: 400,
        headers: { 'request-id': `r${'x'.repeat(180)}${KEY}` },
        parts: [],
      });
      expect(requestId).toMatch(/^rx+\*\*\*$/);
    });

    test('configured headers, with and without their scheme, and as JSON writes them', async () => {
      const headers = { authorization: `Bearer ${KEY}`, 'x-gate': 'gate"way\\pass' };
      const body = JSON.stringify({ error: { type: 'x', message: `no: ${KEY}` }, gate: headers['x-gate'] });
      const settings = { apiKey: null, headers };
      const { message } = await failure({ status: 400, parts: [body.slice(1)] }, settings);
      expect(message).toContain('no: ***');
      expect(message).toContain('"gate":"***"');
      // What says nothing about who sends stays readable.
      const plain = await failure(
        { status: 400, parts: ['application/json'] },
        { headers: { accept: 'application/json' } },
      );
      expect(plain.message).toContain('application/json');
    });

    test('what embeddings are answered', async () => {
      const server = await serveRaw({ status: 200, parts: [at(180)] });
      const llm = connect(server.url, { ...ONCE, kind: 'openai', apiKey: KEY });
      const result = await llm
        .embedder({ provider: 'p', model: 'm', dimensions: 2 })
        .embed(['a'], AbortSignal.timeout(20_000));
      expect(result).toMatchObject({ ok: false, failure: { kind: 'protocol' } });
      expect(leaks(JSON.stringify(result))).toBe(false);
    });
  });

  test('a key that HTTP cannot carry is a failure of the credentials, without the key', async () => {
    const failure = failed(await call(connect('http://127.0.0.1:9', { apiKey: 'secret\nkey' })));
    expect(failure).toMatchObject({ kind: 'credentials', attempts: 1 });
    expect(failure.message).not.toContain('secret');
  });

  test('a user or password with a broken percent-encoding is refused without repeating it', () => {
    expect(() => connect('http://robot:%zz@host')).toThrow(/^provider p: base_url is not an http or https URL$/);
  });

  test('a base URL that cannot be used is refused without repeating it', () => {
    expect(() => connect('ftp://robot:sesame@host')).toThrow(/^provider p: base_url is not an http or https URL$/);
  });

  test('a base URL with or without /v1 is the same for Anthropic', async () => {
    const server = await serve([HI]);
    answered(await call(connect(`${server.url}/v1/`)));
    expect(server.requests[0]?.path).toBe('/v1/messages');
  });

  test('a long message is one line of at most 600 characters', async () => {
    const server = await serve([{ status: 400, message: `line\n${'👋 '.repeat(2000)}` }]);
    const { message } = failed(await call(connect(server.url)));
    expect(message.length).toBeLessThanOrEqual(600);
    expect(message).not.toContain('\n');
    expect(message.isWellFormed()).toBe(true);
  });
});
