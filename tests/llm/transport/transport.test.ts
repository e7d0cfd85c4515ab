import { describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../../src/llm/client.ts';
import { text, toolUse } from '../../support/model-server/anthropic.ts';
import { instantClock } from '../instant-clock.ts';
import { answered, call, failed, requestOf } from '../llm-call.ts';
import { connect, HI, ONCE, serve, serveRaw, serveTcp } from '../served-llm.ts';

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
    // In all, it takes longer than it may be silent.
    const server = await serve([{ ...HI, pieceBytes: 40, everyMs: 150 }]);
    answered(await call(connect(server.url, { ...ONCE, timeouts: { streamIdleMs: 1_500 } })));
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

  async function run(
    finish: { finally: 'reset' | 'end' } | { errorEvent: string },
    canDiscard: boolean | null,
    payOnce = false,
  ) {
    const server = await serve([{ ...broken, ...finish }, { content: [text('whole')] }]);
    const { client } = connect(server.url).resolve('m');
    const events: LlmEvent[] = [];
    const options = canDiscard === null ? {} : { canDiscard, onEvent: (event: LlmEvent) => void events.push(event) };
    const result = await client.complete(requestOf(), { signal: AbortSignal.timeout(20_000), payOnce, ...options });
    return { result, events, asked: server.requests.length };
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

  test.each(ways)('is not sent again where it may be paid for once only: %j', async (way) => {
    const { result, asked } = await run(way, true, true);
    expect(failed(result).lost).toBe(1);
    expect(asked).toBe(1);
  });

  test('that never began is sent again: a refusal costs nothing', async () => {
    const server = await serve([{ status: 529 }, { content: [text('whole')] }]);
    const { client } = connect(server.url).resolve('m');
    const result = await client.complete(requestOf(), { signal: AbortSignal.timeout(20_000), payOnce: true });
    expect(answered(result)).toMatchObject({ attempts: 2 });
  });

  test.each(ways)('fails when content was passed on for good: %j', async (way) => {
    const { result, events } = await run(way, false);
    expect(failed(result).attempts).toBe(1);
    expect(events.some((event) => event.type === 'restart')).toBe(false);
  });
});
