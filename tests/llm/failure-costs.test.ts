/** Promise: what a failed request over HTTP costs is what the one table says, for each way to fail, wire format and kind of provider. */
import { describe, expect, test } from 'vitest';
import type { LlmEvent } from '../../src/llm/client.ts';
import type { Way } from '../../src/llm/failure-costs.ts';
import { ask, failing, lostBy, modelAt, served, streamed } from './failing-calls.ts';
import { answered, call, failed } from './llm-call.ts';
import { RAW_WIRES, WORDS } from './raw-wires.ts';

const cases = Object.entries(failing).flatMap(([way, calls]) =>
  Object.entries(calls).map(([name, act]) => [way as Way, name, act] as const),
);

describe.each(RAW_WIRES.map((wire) => [wire.name, wire] as const))('%s', (_, wire) => {
  test.each(cases)('%s, %s: costs what the table says', async (way, _name, act) => {
    expect(failed(await act(wire)).lost).toBe(lostBy(way, 'http'));
  });

  const whole = { content: [{ type: 'text', text: WORDS }], stopReason: 'end_turn', lost: 0 };

  test('an answer with its counts is taken as it is counted', async () => {
    const response = answered(await ask(wire, streamed(wire, wire.parts)));
    expect(response).toMatchObject({ ...whole, usage: { input: 100, output: 10 } });
    expect(response.usage).not.toHaveProperty('estimated');
  });

  test.runIf(wire.finished !== null).each([
    ['the connection breaks', { finally: 'reset' }, {}],
    ['the stream ends', { finally: 'end' }, {}],
    ['the server falls silent', { finally: 'stall' }, { timeouts: { streamIdleMs: 100 } }],
  ] as const)('an answer that came whole is an answer, though %s before its counts', async (_how, delivery, more) => {
    const response = answered(await ask(wire, streamed(wire, wire.parts.slice(0, wire.finished!), delivery), more));
    expect(response).toMatchObject({ ...whole, usage: { estimated: true } });
    expect(response.usage!.input).toBeGreaterThan(10);
    expect(response.usage!.output).toBe(Math.ceil(WORDS.length / 3.5));
  });

  test.runIf(wire.finished !== null)(
    'after a whole answer, a silent server is waited for a tenth of the idle time',
    async () => {
      const reply = streamed(wire, wire.parts.slice(0, wire.finished!), { finally: 'stall' });
      const response = answered(await ask(wire, reply, { timeouts: { streamIdleMs: 15_000 } }));
      expect(response).toMatchObject({ ...whole, usage: { estimated: true } });
      expect(response.durationMs).toBeLessThan(15_000);
    },
  );

  test('counts of none, or no counts, are estimated and marked', async () => {
    const response = answered(await ask(wire, streamed(wire, wire.uncounted)));
    expect(response).toMatchObject({ ...whole, usage: { estimated: true } });
    expect(response.usage!.input).toBeGreaterThan(10);
    expect(response.usage!.output).toBe(Math.ceil(WORDS.length / 3.5));
  });

  test('each request of a call that may have cost something counts, and an answer that follows does not change that', async () => {
    const server = await served((index) =>
      index < 2
        ? streamed(wire, wire.parts.slice(0, wire.half), { finally: 'reset' })
        : index === 2
          ? { status: 529, parts: ['{}'] }
          : streamed(wire, wire.parts),
    );
    const events: LlmEvent[] = [];
    const llm = modelAt(wire, server.url, { retry: { baseDelayMs: 1 } });
    const { client } = llm.resolve(wire.model);
    const response = answered(
      await client.complete(
        { model: wire.model, system: '', tools: [], messages: [], maxTokens: 100 },
        { signal: AbortSignal.timeout(20_000), canDiscard: true, onEvent: (event) => void events.push(event) },
      ),
    );
    expect(response).toMatchObject({ attempts: 4, lost: 2 });
  });

  test('a call loses three requests at most', async () => {
    const server = await served(streamed(wire, wire.parts.slice(0, wire.half), { finally: 'reset' }));
    const llm = modelAt(wire, server.url, { retry: { baseDelayMs: 1, maxAttempts: 10, lostPauseMs: 1 } });
    expect(failed(await call(llm, { model: wire.model }))).toMatchObject({ attempts: 3, lost: 3 });
    expect(server.requests).toHaveLength(3);
  });
});
