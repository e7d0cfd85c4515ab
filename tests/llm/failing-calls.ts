/** Calls that fail in each of the ways of the table of costs, for each wire format, at real servers. */
import { expect, onTestFinished } from 'vitest';
import type { LlmResult } from '../../src/llm/client.ts';
import { FAILURE_COSTS, GATEWAY_STATUSES, type Transport, type Way } from '../../src/llm/failure-costs.ts';
import { createLlm, type Llm } from '../../src/llm/llm.ts';
import type { HttpProviderSettings } from '../../src/llm/provider-settings.ts';
import { type Reply, startServer } from '../support/model-server/server.ts';
import { call, llmOf } from './llm-call.ts';
import type { RawWire } from './raw-wires.ts';
import { serveTcp } from './served-llm.ts';

/** Settings of retries without a second attempt. */
export const ONE = { maxAttempts: 1 };

/** A server that plays a reply. */
export async function served(reply: Reply | ((index: number) => Reply)) {
  const server = await startServer((_, index) => (typeof reply === 'function' ? reply(index) : reply));
  onTestFinished(server.close);
  return server;
}

/** The models of a provider that speaks a wire format. */
export function modelAt(wire: RawWire, url: string, more: Partial<HttpProviderSettings> = {}): Llm {
  const { path, ...settings } = wire.settings;
  const llm = llmOf({ ...settings, baseUrl: `${url}${path}`, retry: ONE, ...more });
  onTestFinished(() => llm.stop());
  return llm;
}

/** Parts of an answer as a stream. */
export const streamed = (wire: RawWire, parts: Reply['parts'], more: Partial<Reply> = {}): Reply => ({
  status: 200,
  headers: { 'content-type': wire.contentType },
  parts,
  ...more,
});

/** One call of a server with this reply. */
export async function ask(wire: RawWire, reply: Reply, more: Partial<HttpProviderSettings> = {}): Promise<LlmResult> {
  return call(modelAt(wire, (await served(reply)).url, more), { model: wire.model });
}

/** A call of a wire that fails in one way. */
type Failing = (wire: RawWire) => Promise<LlmResult>;

/** By way and by name. */
export const failing: Readonly<Record<Exclude<Way, 'not_run'>, Readonly<Record<string, Failing>>>> = {
  unsent: {
    'nothing listens': async (wire) => {
      const server = await served(streamed(wire, []));
      await server.close();
      return call(modelAt(wire, server.url), { model: wire.model });
    },
    'the handshake never comes': async (wire) => {
      const port = await serveTcp(() => undefined);
      const more = { timeouts: { connectMs: 200 } };
      return call(modelAt(wire, `https://127.0.0.1:${port}`, more), { model: wire.model });
    },
    'the command prints no key': async (wire) => {
      const server = await served(streamed(wire, []));
      const { path, ...settings } = wire.settings;
      const credentials = { command: ['no-key'], directory: '/', env: {}, refreshMs: 1000, timeoutMs: 1000 };
      const provider = { ...settings, baseUrl: `${server.url}${path}`, apiKey: null, credentials, retry: ONE };
      const none = { text: '', bytes: 0, cut: false };
      const run = async () => ({ ended: 'exit', exitCode: 1, stdout: none, stderr: none }) as never;
      const llm = createLlm({ defaultProvider: 'p', providers: { p: provider } }, { processes: { run } });
      onTestFinished(() => llm.stop());
      return call(llm, { model: wire.model });
    },
  },
  refused: Object.fromEntries(
    [301, 400, 401, 402, 403, 404, 413, 429, 500, 503, 529].map((status) => [
      `status ${status}`,
      (wire: RawWire) => ask(wire, { status, parts: ['{"error":{"message":"no"},"message":"no"}'] }),
    ]),
  ),
  gateway: Object.fromEntries(
    [...GATEWAY_STATUSES].map((status) => [
      `status ${status}`,
      (wire: RawWire) => ask(wire, { status, parts: ['<html>gone</html>'] }),
    ]),
  ),
  refused_inside: {
    'a refusal in place of an answer': (wire) => ask(wire, streamed(wire, [wire.error('rate_limit')])),
  },
  broke_inside: {
    'an error in place of an answer': (wire) => ask(wire, streamed(wire, [wire.error('overloaded')])),
    'a refusal after half the text': (wire) =>
      ask(wire, streamed(wire, [...wire.parts.slice(0, wire.half), wire.error('rate_limit')])),
    'an error after half the text': (wire) =>
      ask(wire, streamed(wire, [...wire.parts.slice(0, wire.half), wire.error('overloaded')])),
    'a page': (wire) => ask(wire, { status: 200, parts: ['<html>a portal</html>'] }),
    nothing: (wire) => ask(wire, { status: 200, parts: [] }),
  },
  unanswered: {
    'cut before the headers': async (wire) => {
      const port = await serveTcp((write) => write(Buffer.alloc(0)));
      return call(modelAt(wire, `http://127.0.0.1:${port}`), { model: wire.model });
    },
    'cut after the headers': (wire) => ask(wire, streamed(wire, [], { finally: 'reset' })),
    'cut after the first part': (wire) => ask(wire, streamed(wire, wire.parts.slice(0, 1), { finally: 'reset' })),
    'cut after half the text': (wire) =>
      ask(wire, streamed(wire, wire.parts.slice(0, wire.half), { finally: 'reset' })),
    'ended after half the text': (wire) => ask(wire, streamed(wire, wire.parts.slice(0, wire.half))),
    'silent before the headers': (wire) =>
      ask(wire, streamed(wire, [], { delayMs: 20_000 }), { timeouts: { firstByteMs: 200 } }),
    'silent after half the text': (wire) =>
      ask(wire, streamed(wire, wire.parts.slice(0, wire.half), { finally: 'stall' }), {
        timeouts: { streamIdleMs: 100 },
      }),
    'stopped by us': async (wire) => {
      const server = await served(streamed(wire, wire.parts.slice(0, wire.half), { finally: 'stall' }));
      const { client } = modelAt(wire, server.url).resolve(wire.model);
      const controller = new AbortController();
      const pending = client.complete(
        { model: wire.model, system: '', tools: [], messages: [], maxTokens: 100 },
        { signal: controller.signal },
      );
      await server.received(1);
      controller.abort();
      return pending;
    },
  },
};

/** How many requests count as lost by the table. */
export const lostBy = (way: Way, transport: Transport): number => {
  const cost = FAILURE_COSTS[way][transport];
  expect(cost).not.toBeNull();
  return cost === 'lost' ? 1 : 0;
};
