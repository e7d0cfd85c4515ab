/** The routes of OpenAI's Files and Batch APIs, as far as batches need them. */
import { randomBytes } from 'node:crypto';
import { type Json, json, type MockBatch, type MockState, newBatch, page } from './batch-state.ts';
import type { RecordedRequest, Reply } from './server.ts';

type Refuse = (status: number, message: string) => Reply;

/** Null for paths of the live API. */
export function openaiBatchRoutes(state: MockState): (request: RecordedRequest) => Promise<Reply | null> {
  return async (request) => {
    const [, kind, id, verb, query = ''] =
      /^\/v1\/(files|batches)(?:\/([^/?]+))?(?:\/(content|cancel))?(?:\?(.*))?$/.exec(request.path) ?? [];
    if (kind === undefined) return null;
    const refuse: Refuse = (status, message) => {
      request.refused = message;
      return json({ error: { message, type: 'invalid_request_error', param: null, code: null } }, status);
    };
    if (!request.headers.authorization?.startsWith('Bearer ')) return refuse(401, "You didn't provide an API key.");
    if (kind === 'files') return id === undefined ? upload(request, state, refuse) : content(id, state, refuse);
    if (id === undefined && request.method === 'POST') return create(request, state, refuse);
    if (id === undefined) return list(new URLSearchParams(query), state);
    const batch = state.batches.find((each) => each.id === id);
    if (!batch) return refuse(404, `No batch found with id '${id}'.`);
    if (verb === 'cancel') {
      batch.cancelled = true;
      return state.hook('cancel', 'after') ?? json({ ...view(batch), status: 'cancelling' });
    }
    const before = state.hook('look', 'before');
    if (before) return before;
    const reply = json(view(batch));
    if (batch.failed === null && (state.finishes || batch.cancelled)) await state.finish(batch);
    return state.hook('look', 'after') ?? reply;
  };
}

function upload(request: RecordedRequest, state: MockState, refuse: Refuse): Reply {
  const before = state.hook('upload', 'before');
  if (before) return before;
  const boundary = /^multipart\/form-data; boundary=(\S+)$/.exec(request.headers['content-type'] ?? '')?.[1];
  if (boundary === undefined) return refuse(400, 'the body is not multipart/form-data');
  const parts = request.body.toString('utf8').split(`--${boundary}`);
  if (parts.at(-1) !== '--\r\n') return refuse(400, 'the multipart body has no end');
  const fields = new Map(
    parts.slice(1, -1).map((part) => {
      const [head = '', ...rest] = part.split('\r\n\r\n');
      return [/name="(\w+)"/.exec(head)?.[1] ?? '', rest.join('\r\n\r\n').slice(0, -2)];
    }),
  );
  if (fields.get('purpose') !== 'batch') return refuse(400, "'purpose' is not one of the allowed values");
  const id = `file-${randomBytes(6).toString('hex')}`;
  state.files.set(id, fields.get('file') ?? '');
  return state.hook('upload', 'after') ?? json({ id, object: 'file', purpose: 'batch' });
}

function content(id: string, state: MockState, refuse: Refuse): Reply {
  const before = state.hook('results', 'before');
  if (before) return before;
  const text = state.files.get(id) ?? resultFile(id, state);
  if (text === null) return refuse(404, `No such File object: ${id}`);
  const reply: Reply = {
    status: 200,
    headers: { 'content-type': 'application/octet-stream' },
    parts: [text],
    pieceBytes: 997,
  };
  return state.hook('results', 'after') ?? reply;
}

function resultFile(id: string, state: MockState): string | null {
  const [, of, kind] = /^file-(\w+)-(output|error)$/.exec(id) ?? [];
  const batch = state.batches.find((each) => each.id === of);
  if (!batch?.results) return null;
  return [...batch.results]
    .toReversed()
    .flatMap(([customId, result]) => {
      const succeeded = 'status' in result && result.status === 200;
      if (succeeded !== (kind === 'output')) return [];
      const line =
        'ended' in result
          ? {
              response: null,
              error: {
                code: result.ended === 'expired' ? 'batch_expired' : 'batch_cancelled',
                message: 'not executed',
              },
            }
          : { response: { status_code: result.status, request_id: 'req_mock', body: result.body }, error: null };
      return [`${JSON.stringify({ id: `batch_req_${customId}`, custom_id: customId, ...line })}\n`];
    })
    .join('');
}

function create(request: RecordedRequest, state: MockState, refuse: Refuse): Reply {
  const before = state.hook('create', 'before');
  if (before) return before;
  const { input_file_id: file, endpoint, completion_window: window, metadata, ...rest } = request.json ?? {};
  const [extra] = Object.keys(rest);
  if (extra !== undefined) return refuse(400, `Unrecognized request argument supplied: ${extra}`);
  if (window !== '24h') return refuse(400, "Invalid value for 'completion_window'");
  if (endpoint !== '/v1/chat/completions' && endpoint !== '/v1/responses')
    return refuse(400, "Invalid value for 'endpoint'");
  const text = state.files.get(String(file));
  if (text === undefined) return refuse(404, `No such File object: ${String(file)}`);
  const lines = text
    .trimEnd()
    .split('\n')
    .map((line) => JSON.parse(line) as { custom_id: string; method: string; url: string; body: Json });
  const failed = lines.flatMap((line, index) => {
    const wrong =
      line.method !== 'POST' ||
      line.url !== endpoint ||
      line.body['model'] !== lines[0]!.body['model'] ||
      line.body['stream'] === true;
    const repeated = lines.findIndex((each) => each.custom_id === line.custom_id) < index;
    return wrong || repeated ? [{ line: index + 1, message: 'The line is invalid' }] : [];
  });
  const batch = newBatch(
    state,
    lines.map((line) => ({ customId: line.custom_id, body: line.body })),
    metadata,
  );
  if (failed.length > 0) batch.failed = failed;
  return state.hook('create', 'after') ?? json(view(batch));
}

function list(query: URLSearchParams, state: MockState): Reply {
  const before = state.hook('list', 'before');
  if (before) return before;
  const { data, more } = page(state, query.get('after'), Number(query.get('limit') ?? 20));
  return json({
    object: 'list',
    data: data.map(view),
    has_more: more,
    first_id: data[0]?.id ?? null,
    last_id: data.at(-1)?.id ?? null,
  });
}

function view(batch: MockBatch): Json {
  const results = [...(batch.results?.values() ?? [])];
  const succeeded = results.filter((result) => 'status' in result && result.status === 200).length;
  const expired = results.some((result) => 'ended' in result && result.ended === 'expired');
  const ended = batch.cancelled ? 'cancelled' : expired ? 'expired' : 'completed';
  return {
    id: batch.id,
    object: 'batch',
    endpoint: '/v1/chat/completions',
    status: batch.failed ? 'failed' : batch.results ? ended : batch.cancelled ? 'cancelling' : 'in_progress',
    errors: batch.failed && {
      object: 'list',
      data: batch.failed.map((error) => ({ code: 'invalid_request', param: null, ...error })),
    },
    created_at: Math.floor(batch.createdMs / 1000),
    metadata: batch.metadata,
    output_file_id: succeeded > 0 ? `file-${batch.id}-output` : null,
    // OpenAI has been seen to write an absent file as an empty text.
    error_file_id: succeeded < results.length ? `file-${batch.id}-error` : '',
    request_counts: { total: batch.requests.length, completed: succeeded, failed: results.length - succeeded },
  };
}
