import { type CloudGate, CloudRefusal, NO_CLOUD } from './clouds.ts';
import { type MockEmbeddings, openAiEmbeddings } from './embeddings.ts';
import { refusalOf } from './openai-rules.ts';
import { type Delivery, type ModelServer, type RecordedRequest, type Reply, startServer } from './server.ts';

type Json = Record<string, unknown>;

/** An answer in the format of Chat Completions. */
export interface OpenAiAnswer extends Delivery {
  readonly text?: string;
  readonly reasoning_content?: string;
  readonly calls?: readonly { readonly id: string; readonly name: string; readonly input: Json }[];
  /** Default: `tool_calls` if a tool is called, else `stop`. */
  readonly finish_reason?: string;
  /** Overrides 100 prompt and 10 completion tokens; null for a server that never reports usage. */
  readonly usage?: Json | null;
  readonly model?: string;
}

/** An error, or any other response. */
export interface OpenAiHttpAnswer extends Delivery {
  readonly status: number;
  readonly message?: string;
  readonly type?: string;
  readonly code?: string | number | null;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged instead of an error envelope. */
  readonly body?: string;
}

/** The answer to the n-th request (from 0) that the vendor would accept. */
export type OpenAiProgramme = (body: Json, index: number, request: RecordedRequest) => OpenAiAnswer | OpenAiHttpAnswer;

/** The models and paths that the mock knows. */
export interface OpenAiMockOptions extends MockEmbeddings {
  readonly models?: readonly string[];
}

/**
 * A strict mock of OpenAI's Chat Completions (base URL `${url}/v1`), with /models and /embeddings. It answers 400 where
 * the vendor would. A list of answers is played in order; its last one is repeated.
 */
export async function startOpenAiServer(
  programme: OpenAiProgramme | readonly (OpenAiAnswer | OpenAiHttpAnswer)[],
  options: OpenAiMockOptions = {},
  cloud: CloudGate = NO_CLOUD,
): Promise<ModelServer> {
  let accepted = 0;
  const answerOf: OpenAiProgramme =
    typeof programme === 'function' ? programme : (_, index) => programme[Math.min(index, programme.length - 1)] ?? {};
  return startServer((arrived) => {
    const request = cloud.open(arrived);
    if (request instanceof CloudRefusal) {
      arrived.refused = request.message;
      return errorReply({ status: request.status, message: request.message, type: 'cloud' });
    }
    const refusal = refusalOf(request, options);
    if (refusal) {
      arrived.refused = refusal.message;
      return errorReply({ status: refusal.status, message: refusal.message, type: refusal.type });
    }
    if (request.path === '/v1/models') return jsonReply(modelList(options.models ?? ['gpt-mock']));
    const answer = answerOf(request.json ?? {}, accepted, request);
    accepted += 1;
    if ('status' in answer) return errorReply(answer);
    if (request.path === '/v1/embeddings') return jsonReply(openAiEmbeddings(request.json ?? {}, options), answer);
    return request.json?.['stream'] === true ? streamReply(answer, request) : wholeReply(answer, request);
  });
}

function errorReply({ status, message, type, code, headers, body, ...delivery }: OpenAiHttpAnswer): Reply {
  const error = { message: message ?? 'mock error', type: type ?? 'mock_error', param: null, code: code ?? null };
  return {
    ...delivery,
    status,
    headers: { 'content-type': 'application/json', 'x-request-id': 'req_mock', ...headers },
    parts: [body ?? JSON.stringify({ error })],
  };
}

function jsonReply(value: unknown, delivery: Delivery = {}): Reply {
  return {
    ...deliveryOf(delivery),
    status: 200,
    headers: { 'content-type': 'application/json' },
    parts: [JSON.stringify(value)],
  };
}

function modelList(ids: readonly string[]): Json {
  return { object: 'list', data: ids.map((id) => ({ id, object: 'model' })) };
}

function usageOf({ usage }: OpenAiAnswer): Json | null {
  if (usage === null) return null;
  return { prompt_tokens: 100, completion_tokens: 10, total_tokens: 110, ...usage };
}

function finishOf(answer: OpenAiAnswer): string {
  return answer.finish_reason ?? (answer.calls?.length ? 'tool_calls' : 'stop');
}

function wholeReply(answer: OpenAiAnswer, request: RecordedRequest): Reply {
  const calls = (answer.calls ?? []).map(({ id, name, input }) => ({
    id,
    type: 'function',
    function: { name, arguments: JSON.stringify(input) },
  }));
  const message = {
    role: 'assistant',
    content: answer.text ?? null,
    refusal: null,
    ...(answer.reasoning_content !== undefined && { reasoning_content: answer.reasoning_content }),
    ...(calls.length > 0 && { tool_calls: calls }),
  };
  const body = {
    id: 'chatcmpl_mock',
    object: 'chat.completion',
    created: 0,
    model: answer.model ?? request.json?.['model'],
    choices: [{ index: 0, message, logprobs: null, finish_reason: finishOf(answer) }],
    usage: usageOf(answer),
  };
  return jsonReply(body, answer);
}

function streamReply(answer: OpenAiAnswer, request: RecordedRequest): Reply {
  const wants = (request.json?.['stream_options'] as Json | undefined)?.['include_usage'] === true;
  const chunks = openaiChunks({ ...answer, model: answer.model ?? String(request.json?.['model']) }, wants);
  return {
    ...deliveryOf(answer),
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_mock' },
    parts: [...chunks.map((each) => `data: ${JSON.stringify(each)}\n\n`), 'data: [DONE]\n\n'],
  };
}

/** The chunks in which the vendor streams an answer. */
export function openaiChunks(answer: OpenAiAnswer, withUsage: boolean): Json[] {
  const base = { id: 'chatcmpl_mock', object: 'chat.completion.chunk', created: 0, model: answer.model };
  const chunk = (delta: Json, finish_reason: string | null = null) => ({
    ...base,
    choices: [{ index: 0, delta, logprobs: null, finish_reason }],
    ...(withUsage && { usage: null }),
  });
  const usage = usageOf(answer);
  return [
    chunk({ role: 'assistant', content: answer.text === undefined ? null : '', refusal: null }),
    ...cut(answer.reasoning_content ?? '').map((piece) => chunk({ reasoning_content: piece })),
    ...cut(answer.text ?? '').map((content) => chunk({ content })),
    ...(answer.calls ?? []).flatMap(({ id, name, input }, index) => [
      chunk({ tool_calls: [{ index, id, type: 'function', function: { name, arguments: '' } }] }),
      ...cut(JSON.stringify(input)).map((piece) => chunk({ tool_calls: [{ index, function: { arguments: piece } }] })),
    ]),
    chunk({}, finishOf(answer)),
    ...(withUsage && usage ? [{ ...base, choices: [], usage }] : []),
  ];
}

function deliveryOf({ delayMs, pieceBytes, everyMs, stopAfter, finally: last }: Delivery): Delivery {
  return Object.fromEntries(
    Object.entries({ delayMs, pieceBytes, everyMs, stopAfter, finally: last }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

function cut(value: string): string[] {
  return value.match(/[^]{1,12}/gu) ?? [];
}
