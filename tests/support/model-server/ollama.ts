import { type MockEmbeddings, ollamaEmbeddingProblem, ollamaEmbeddings } from './embeddings.ts';
import { type Delivery, type ModelServer, type RecordedRequest, type Reply, startServer } from './server.ts';

type Json = Record<string, unknown>;

/** An answer in the words of Ollama's chat API. */
export interface OllamaAnswer extends Delivery {
  readonly text?: string;
  readonly thinking?: string;
  readonly calls?: readonly { readonly id?: string; readonly name: string; readonly input: Json }[];
  readonly done_reason?: string;
}

/** An error, or any other response. */
export interface OllamaError extends Delivery {
  readonly status: number;
  readonly error: string;
}

/** What the server has, and how it behaves. */
export interface OllamaMockOptions extends MockEmbeddings {
  readonly models?: readonly string[];
  /** The window that the model was trained with; a larger `num_ctx` counts as this. */
  readonly trained?: number;
}

/** What of a prompt reached the model: an Ollama cuts what does not fit, unless it is told not to. */
export interface OllamaServer extends ModelServer {
  readonly cut: readonly number[];
}

const FIELDS = new Set('model messages tools stream think truncate shift options format keep_alive'.split(' '));
const OPTIONS = new Set('num_ctx num_predict temperature stop top_p top_k seed'.split(' '));
const MESSAGE = new Set('role content thinking images tool_calls tool_name tool_call_id'.split(' '));

/**
 * A strict mock of Ollama's chat API. Like the real one, it drops the oldest messages of a prompt that is longer than
 * `num_ctx` (4,096 without it), or answers 400 with `truncate: false`. A token is four characters here.
 */
export async function startOllamaServer(
  answers: readonly (OllamaAnswer | OllamaError)[],
  { models = ['qwen3:8b'], trained = 262_144, ...vectors }: OllamaMockOptions = {},
): Promise<OllamaServer> {
  const cut: number[] = [];
  let accepted = 0;
  const server = await startServer((request) => {
    if (request.path === '/api/tags' && request.method === 'GET')
      return reply(200, [{ models: models.map((name) => ({ name, model: name })) }]);
    const problem = request.path === '/api/embed' ? embedProblem(request, vectors) : problemOf(request);
    if (problem !== null) {
      request.refused = problem.error;
      return reply(problem.status, [{ error: problem.error }]);
    }
    const body = request.json ?? {};
    if (!models.includes(String(body['model'])) && !models.includes(`${String(body['model'])}:latest`))
      return reply(404, [{ error: `model '${String(body['model'])}' not found` }]);
    if (request.path === '/api/embed') return reply(200, [ollamaEmbeddings(body, vectors)]);
    const window = Math.min(trained, Number((body['options'] as Json)['num_ctx'] ?? 4096));
    const tokens = Math.ceil(JSON.stringify([body['messages'], body['tools']]).length / 4);
    if (tokens > window) {
      if (body['truncate'] === false) return reply(400, [{ error: 'the input length exceeds the context length' }]);
      cut.push(tokens - window);
    }
    const answer = answers[Math.min(accepted, answers.length - 1)]!;
    accepted += 1;
    if ('status' in answer) return reply(answer.status, [{ error: answer.error }], answer);
    return reply(200, body['stream'] === false ? [whole(answer, body)] : ollamaLines(answer, body, tokens), answer);
  });
  return { ...server, cut };
}

function embedProblem({ method, json }: RecordedRequest, vectors: MockEmbeddings) {
  if (method !== 'POST' || json === null) return { status: 400, error: 'missing request body' };
  const error = ollamaEmbeddingProblem(json, vectors);
  return error === null ? null : { status: 400, error };
}

/** The objects by which Ollama streams an answer. */
export function ollamaLines(answer: OllamaAnswer, body: Json, tokens = 20): Json[] {
  const line = (message: Json) => ({
    ...head(body),
    message: { role: 'assistant', content: '', ...message },
    done: false,
  });
  return [
    ...cutUp(answer.thinking).map((thinking) => line({ thinking })),
    ...cutUp(answer.text).map((content) => line({ content })),
    ...(answer.calls ?? []).map((call, index) => line({ tool_calls: [toolCall(call, index)] })),
    { ...line({}), ...end(answer, tokens) },
  ];
}

function whole(answer: OllamaAnswer, body: Json): Json {
  const { text = '', thinking, calls } = answer;
  const message = {
    role: 'assistant',
    content: text,
    ...(thinking !== undefined && { thinking }),
    ...(calls && { tool_calls: calls.map(toolCall) }),
  };
  return { ...head(body), message, ...end(answer, 20) };
}

function toolCall({ id, name, input }: NonNullable<OllamaAnswer['calls']>[number], index: number): Json {
  return { ...(id !== undefined && { id }), function: { index, name, arguments: input } };
}

function head({ model }: Json): Json {
  return { model, created_at: '2026-01-01T00:00:00Z' };
}

function end({ done_reason = 'stop' }: OllamaAnswer, tokens: number): Json {
  return { done: true, done_reason, total_duration: 1, prompt_eval_count: tokens, eval_count: 10 };
}

function problemOf(request: RecordedRequest): { readonly status: number; readonly error: string } | null {
  const bad = (error: string) => ({ status: 400, error });
  const { method, path, json } = request;
  if (path !== '/api/chat' || method !== 'POST') return { status: 404, error: '404 page not found' };
  if (!json) return bad('invalid character');
  for (const key of Object.keys(json)) if (!FIELDS.has(key)) return bad(`unknown field ${key}`);
  const options = json['options'] as Json | undefined;
  for (const key of Object.keys(options ?? {})) if (!OPTIONS.has(key)) return bad(`unknown option ${key}`);
  if (!Number.isInteger(options?.['num_ctx'])) return bad('option "num_ctx" must be of type integer');
  for (const message of (json['messages'] ?? []) as Json[]) {
    for (const key of Object.keys(message)) if (!MESSAGE.has(key)) return bad(`unknown field ${key} of a message`);
    if (typeof message['content'] !== 'string')
      return bad('json: cannot unmarshal object into Go struct field .content of type string');
    for (const call of (message['tool_calls'] ?? []) as Json[]) {
      const { arguments: input } = call['function'] as Json;
      if (typeof input !== 'object') return bad('json: cannot unmarshal string into Go struct field .arguments');
    }
    if (message['role'] === 'tool' && typeof message['tool_name'] !== 'string') return bad('tool_name is missing');
  }
  return null;
}

function reply(status: number, lines: readonly Json[], delivery: Delivery = {}): Reply {
  const { delayMs, pieceBytes, everyMs, stopAfter, finally: last } = delivery;
  const given = Object.entries({ delayMs, pieceBytes, everyMs, stopAfter, finally: last });
  return {
    ...Object.fromEntries(given.filter(([, value]) => value !== undefined)),
    status,
    headers: { 'content-type': status === 200 ? 'application/x-ndjson' : 'application/json' },
    parts: lines.map((line) => `${JSON.stringify(line)}\n`),
  };
}

function cutUp(value = ''): string[] {
  return value.match(/[^]{1,12}/gu) ?? [];
}
