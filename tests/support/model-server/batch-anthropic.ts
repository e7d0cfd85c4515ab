/** The routes of Anthropic's Message Batches API. */
import { type Json, json, type MockBatch, type MockResult, type MockState, newBatch, page } from './batch-state.ts';
import type { RecordedRequest, Reply } from './server.ts';

const ROUTE = /^\/v1\/messages\/batches(?:\/([^/?]+))?(?:\/(results|cancel))?(?:\?(.*))?$/;

/** Null for paths of the live API. */
export function anthropicBatchRoutes(state: MockState): (request: RecordedRequest) => Promise<Reply | null> {
  return async (request) => {
    const [, id, verb, query = ''] = ROUTE.exec(request.path) ?? [];
    if (!request.path.startsWith('/v1/messages/batches')) return null;
    const refuse = (status: number, message: string): Reply => {
      request.refused = message;
      return json({ type: 'error', error: { type: 'invalid_request_error', message } }, status);
    };
    if (!request.headers['x-api-key']) return refuse(401, 'x-api-key header is required');
    if (request.headers['anthropic-version'] !== '2023-06-01')
      return refuse(400, 'anthropic-version: header is required');
    if (id === undefined && request.method === 'POST') return create(request, state, refuse);
    if (id === undefined) return list(new URLSearchParams(query), state);
    const batch = state.batches.find((each) => each.id === id);
    if (!batch) return refuse(404, `batch ${id} not found`);
    if (verb === 'results') return results(batch, state, refuse);
    if (verb === 'cancel') return cancel(batch, state);
    return look(batch, state);
  };
}

function create(request: RecordedRequest, state: MockState, refuse: (status: number, message: string) => Reply): Reply {
  const before = state.hook('create', 'before');
  if (before) return before;
  const asked = request.json?.['requests'] as { custom_id: string; params: Json }[] | undefined;
  if (!Array.isArray(asked) || asked.length === 0) return refuse(400, 'requests: at least one is required');
  const extra = Object.keys(request.json ?? {}).find((key) => key !== 'requests');
  if (extra !== undefined) return refuse(400, `${extra}: Extra inputs are not permitted`);
  const ids = new Set(asked.map((each) => each.custom_id));
  if (ids.size < asked.length) return refuse(400, 'requests: custom_id must be unique');
  const bad = asked.find((each) => !/^[a-zA-Z0-9_-]{1,64}$/.test(each.custom_id) || 'stream' in each.params);
  if (bad) return refuse(400, `requests: ${bad.custom_id} has an invalid custom_id, or a stream`);
  const batch = newBatch(
    state,
    asked.map((each) => ({ customId: each.custom_id, body: each.params })),
    null,
  );
  return state.hook('create', 'after') ?? json(view(batch));
}

async function list(query: URLSearchParams, state: MockState): Promise<Reply> {
  const before = state.hook('list', 'before');
  if (before) return before;
  const { data, more } = page(state, query.get('after_id'), Number(query.get('limit') ?? 20));
  const reply = json({
    data: data.map(view),
    has_more: more,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  });
  // They go on whether anybody looks or not.
  if (state.finishes) for (const batch of data) await state.finish(batch);
  return reply;
}

async function look(batch: MockBatch, state: MockState): Promise<Reply> {
  const before = state.hook('look', 'before');
  if (before) return before;
  const reply = json(view(batch));
  if (state.finishes || batch.cancelled) await state.finish(batch);
  return state.hook('look', 'after') ?? reply;
}

function results(batch: MockBatch, state: MockState, refuse: (status: number, message: string) => Reply): Reply {
  const before = state.hook('results', 'before');
  if (before) return before;
  if (batch.results === null) return refuse(404, 'the results are not available yet');
  // In another order than asked, as the API may give them.
  const lines = [...batch.results]
    .toReversed()
    .map(([customId, result]) => `${JSON.stringify({ custom_id: customId, result: resultOf(result) })}\n`);
  const reply: Reply = {
    status: 200,
    headers: { 'content-type': 'application/x-jsonl' },
    parts: lines,
    pieceBytes: 997,
  };
  return state.hook('results', 'after') ?? reply;
}

function cancel(batch: MockBatch, state: MockState): Reply {
  batch.cancelled = true;
  return state.hook('cancel', 'after') ?? json({ ...view(batch), processing_status: 'canceling' });
}

function resultOf(result: MockResult): Json {
  if ('ended' in result) return { type: result.ended === 'expired' ? 'expired' : 'canceled' };
  return result.status === 200 ? { type: 'succeeded', message: result.body } : { type: 'errored', error: result.body };
}

function view(batch: MockBatch): Json {
  const ended = batch.results !== null;
  const counts = { processing: ended ? 0 : batch.requests.length, succeeded: ended ? batch.requests.length : 0 };
  return {
    id: batch.id,
    type: 'message_batch',
    processing_status: ended ? 'ended' : batch.cancelled ? 'canceling' : 'in_progress',
    request_counts: { ...counts, errored: 0, canceled: 0, expired: 0 },
    created_at: new Date(batch.createdMs).toISOString(),
    expires_at: new Date(batch.createdMs + 86_400_000).toISOString(),
    ended_at: ended ? new Date().toISOString() : null,
    results_url: ended ? `https://api.anthropic.com/v1/messages/batches/${batch.id}/results` : null,
  };
}
