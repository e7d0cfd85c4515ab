import { describe, expect, onTestFinished, test } from 'vitest';
import type { LlmResult } from '../../../src/llm/client.ts';
import { createLlm } from '../../../src/llm/llm.ts';
import type { ModelServer } from '../../support/model-server/server.ts';
import { instantClock } from '../instant-clock.ts';
import { answered, call, failed, requestOf } from '../llm-call.ts';
import { connect, HI, ONCE, serve, serveRaw } from '../served-llm.ts';

function twoProviders(server: ModelServer, keys: readonly [string, string], clock = instantClock()) {
  const provider = (apiKey: string) => ({ kind: 'anthropic', baseUrl: server.url, apiKey, ...ONCE }) as const;
  const llm = createLlm({ defaultProvider: 'a', providers: { a: provider(keys[0]), b: provider(keys[1]) } }, { clock });
  onTestFinished(() => llm.stop());
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
      const embedder = llm.embedder({ provider: 'p', model: 'm', dimensions: 2 });
      const embedded = await embedder.embed(['a'], AbortSignal.timeout(20_000));
      expect(embedded).toMatchObject({ ok: false, failure: { retryAfterMs: 600_000 } });
    }
  });

  test.each([61, 120, 600])('of %i s is named in the message, with what the provider said', async (seconds) => {
    const server = await serve([{ status: 429, headers: { 'retry-after': String(seconds) }, message: 'slow down' }]);
    const failure = failed(await call(connect(server.url, {}, { clock: instantClock() })));
    expect(failure).toMatchObject({ kind: 'rate_limit', retryAfterMs: seconds * 1000, attempts: 1 });
    expect(failure.message).toContain(`the provider asked to wait ${seconds} s: `);
    expect(failure.message).toContain('slow down');
  });

  test('may be bounded by the configuration of the provider', async () => {
    const server = await serve([{ status: 503, headers: { 'retry-after': '7200' } }]);
    const llm = connect(server.url, { retry: { maxRetryAfterMs: 5_400_000 } }, { clock: instantClock() });
    expect(failed(await call(llm)).retryAfterMs).toBe(5_400_000);
  });

  test('calls that wait for the same pause all go on, and one that is aborted does not', async () => {
    const server = await serve([LIMITED, HI]);
    const llm = connect(server.url, { retry: { maxAttempts: 1, maxWaitMs: 60_000 } });
    const limited = await serve([{ status: 429, headers: { 'retry-after-ms': '150' } }, HI]);
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

describe('requests that are lost in a row', () => {
  const CUT = { ...HI, stopAfter: 4, finally: 'reset' } as const;

  test('pause every call with the key after the third, and longer after each further one', async () => {
    const server = await serve([CUT]);
    const clock = instantClock();
    const llm = connect(server.url, ONCE, { clock });
    for (let n = 0; n < 2; n += 1) expect(failed(await call(llm))).toMatchObject({ lost: 1, retryAfterMs: null });
    const third = failed(await call(llm));
    expect(third).toMatchObject({ kind: 'connection', lost: 1, retryAfterMs: 60_000 });
    expect(third.message).toContain('calls with this key are paused for 60 s, after 3 lost requests in a row');
    // A pause of a minute is waited for, as one that the provider asks for.
    expect(failed(await call(llm))).toMatchObject({ lost: 1, retryAfterMs: 120_000 });
    expect(clock.sleeps).toEqual([60_000]);
    const paused = failed(await call(llm));
    expect(paused).toMatchObject({ kind: 'rate_limit', attempts: 0, lost: 0, retryAfterMs: 120_000 });
    expect(paused.message).toContain('are paused for another 120 s, after 4 lost requests in a row');
    expect(server.requests).toHaveLength(4);
    await clock.sleep(120_000);
    expect(failed(await call(llm)).retryAfterMs).toBe(240_000);
    await clock.sleep(240_000);
    expect(failed(await call(llm)).retryAfterMs).toBe(480_000);
    await clock.sleep(480_000);
    // No longer than other pauses.
    expect(failed(await call(llm)).retryAfterMs).toBe(600_000);
  });

  test('are not in a row if an answer came between them', async () => {
    const server = await serve([CUT, CUT, HI, CUT, CUT, HI]);
    const llm = connect(server.url, ONCE, { clock: instantClock() });
    for (const ok of [false, false, true, false, false, true]) expect((await call(llm)).ok).toBe(ok);
  });

  test('count once if they were under way together: a broken network ends many at once', async () => {
    const server = await serve([CUT]);
    const llm = connect(server.url, ONCE);
    const lost = await Promise.all(Array.from({ length: 8 }, () => call(llm)));
    // Most were sent before the first one was lost.
    expect(lost.map((result) => failed(result).retryAfterMs)).toEqual(Array.from({ length: 8 }, () => null));
  });

  test('are not those that cost nothing, nor those that were stopped', async () => {
    const server = await serve([{ status: 529 }]);
    const llm = connect(server.url, ONCE, { clock: instantClock() });
    for (let n = 0; n < 5; n += 1) expect(failed(await call(llm))).toMatchObject({ lost: 0, retryAfterMs: null });
  });
});
