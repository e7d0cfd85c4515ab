/**
 * A strict mock of the batch APIs of this run's wire format, in front of a mock of its live API: what a batch contains is asked there,
 * so each request is checked as a live one would be.
 */
import type { AnthropicProgramme } from './anthropic.ts';
import { anthropicBatchRoutes } from './batch-anthropic.ts';
import { openaiBatchRoutes } from './batch-openai.ts';
import { type Json, type MockBatch, type MockResult, type MockState, newBatch } from './batch-state.ts';
import { startModelServer, WIRE } from './either-wire.ts';
import { type ModelServer, type RecordedRequest, type Reply, startServer } from './server.ts';

export interface BatchServer extends ModelServer {
  readonly state: MockState;
  /** The live API behind it: every request that was answered. */
  readonly live: ModelServer;
  /** Adds a batch of somebody else in the same account. */
  addForeign(requests: number): MockBatch;
}

/** Batches end at the second look, unless `state.finishes` is set to false. `fate` decides about single requests. */
export async function startBatchServer(
  programme: AnthropicProgramme,
  fate: (customId: string, body: Json) => MockResult | null = () => null,
): Promise<BatchServer> {
  const live = await startModelServer(programme);
  const livePath = LIVE_PATHS[WIRE];
  const ask = async (body: Json): Promise<MockResult> => {
    const response = await fetch(`${live.url}${livePath}`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', ...LOGIN, 'anthropic-version': '2023-06-01' },
      body: JSON.stringify(body),
    });
    return { status: response.status, body: (await response.json()) as Json };
  };
  const state: MockState = {
    batches: [],
    files: new Map(),
    hook: () => null,
    finishes: true,
    async finish(batch) {
      if (batch.results !== null) return;
      const results = new Map<string, MockResult>();
      for (const { customId, body } of batch.requests) {
        results.set(customId, batch.cancelled ? { ended: 'cancelled' } : (fate(customId, body) ?? (await ask(body))));
      }
      batch.results ??= results;
    },
  };
  const routes = WIRE === 'anthropic' ? anthropicBatchRoutes(state) : openaiBatchRoutes(state);
  const server = await startServer(async (request) => {
    const answer = await routes(request);
    if (answer !== null) return answer;
    return forward(request, live.url);
  });
  return {
    ...server,
    state,
    live,
    addForeign(count) {
      const requests = Array.from({ length: count }, (_, n) => ({ customId: `other-${n}`, body: {} }));
      const batch = newBatch(state, requests, null);
      batch.results = new Map(requests.map(({ customId }) => [customId, { ended: 'expired' }]));
      return batch;
    },
    async close() {
      await Promise.all([server.close(), live.close()]);
    },
  };
}

const LIVE_PATHS = { anthropic: '/v1/messages', openai: '/v1/chat/completions', responses: '/v1/responses' };
const LOGIN = { 'x-api-key': 'test-key', authorization: 'Bearer test-key' };

async function forward(request: RecordedRequest, url: string): Promise<Reply> {
  const response = await fetch(url + request.path, {
    method: request.method,
    headers: Object.fromEntries(
      Object.entries(request.headers).filter(
        ([name]) => !/^(host|connection|content-length|transfer-encoding)$/.test(name),
      ),
    ) as Record<string, string>,
    ...(request.method === 'POST' && { body: new Uint8Array(request.body) }),
  });
  const headers = { 'content-type': response.headers.get('content-type') ?? 'application/json' };
  return { status: response.status, headers, parts: [Buffer.from(await response.arrayBuffer())] };
}
