import { refusalOf } from './anthropic-rules.ts';
import { type CloudGate, CloudRefusal, NO_CLOUD } from './clouds.ts';
import { type Delivery, type ModelServer, type RecordedRequest, type Reply, startServer } from './server.ts';

type Json = Record<string, unknown>;

/** An answer in the provider's own blocks, for example `{ type: 'tool_use', id, name, input }`. */
export interface AnthropicAnswer extends Delivery {
  readonly content: readonly Json[];
  /** Default: `tool_use` if a tool is called, else `end_turn`. */
  readonly stop_reason?: string;
  /** Overrides `{ input_tokens: 100, output_tokens: 10 }`. */
  readonly usage?: Json;
  readonly model?: string;
  /** An `error` event of this type after the parts that `stopAfter` permits. */
  readonly errorEvent?: string;
}

/** An error of the API, or any other response. */
export interface HttpAnswer extends Delivery {
  readonly status: number;
  /** `error.type`; the default belongs to the status. */
  readonly error?: string;
  readonly message?: string;
  readonly headers?: Readonly<Record<string, string>>;
  /** Sent unchanged instead of an error envelope. */
  readonly body?: string;
}

/** The answer to the n-th request (from 0); called only for a request that the provider would accept. */
export type AnthropicProgramme = (body: Json, index: number, request: RecordedRequest) => AnthropicAnswer | HttpAnswer;

const ERROR_TYPES: Readonly<Record<number, string>> = {
  400: 'invalid_request_error',
  401: 'authentication_error',
  402: 'billing_error',
  403: 'permission_error',
  404: 'not_found_error',
  413: 'request_too_large',
  429: 'rate_limit_error',
  500: 'api_error',
  504: 'timeout_error',
  529: 'overloaded_error',
};

/**
 * A strict mock of Anthropic's Messages API: real wire format, streamed or not, and 400 (401, 404) with the provider's own
 * messages where it would refuse. A list of answers is played in order; its last one is repeated.
 */
export async function startAnthropicServer(
  programme: AnthropicProgramme | readonly (AnthropicAnswer | HttpAnswer)[],
  cloud: CloudGate = NO_CLOUD,
): Promise<ModelServer> {
  let accepted = 0;
  const answerOf: AnthropicProgramme =
    typeof programme === 'function'
      ? programme
      : (_, index) => programme[Math.min(index, programme.length - 1)] as HttpAnswer;
  return startServer((arrived) => {
    const request = cloud.open(arrived);
    const refusal = request instanceof CloudRefusal ? request : refusalOf(request);
    if (request instanceof CloudRefusal || refusal) {
      arrived.refused = refusal?.message ?? '';
      return cloud.wrap(errorReply({ status: refusal?.status ?? 400, message: refusal?.message ?? '' }), arrived);
    }
    const answer = answerOf(request.json ?? {}, accepted, arrived);
    accepted += 1;
    if ('status' in answer) return cloud.wrap(errorReply(answer), arrived);
    const reply = request.json?.['stream'] === true ? streamReply(answer, request) : wholeReply(answer, request);
    return cloud.wrap(reply, arrived);
  });
}

/** A text block. */
export const text = (value: string): Json => ({ type: 'text', text: value });

/** A call of a tool. */
export const toolUse = (id: string, name: string, input: Json): Json => ({ type: 'tool_use', id, name, input });

function errorReply({ status, error, message, headers, body, ...delivery }: HttpAnswer): Reply {
  const type = error ?? ERROR_TYPES[status] ?? 'api_error';
  const envelope = { type: 'error', error: { type, message: message ?? type }, request_id: 'req_mock' };
  return {
    status,
    headers: { 'content-type': 'application/json', 'request-id': 'req_mock', ...headers },
    parts: [body ?? JSON.stringify(envelope)],
    ...delivery,
  };
}

function messageOf({ content, stop_reason, usage, model }: AnthropicAnswer, request: RecordedRequest): Json {
  const calls = content.some((block) => block['type'] === 'tool_use');
  return {
    id: 'msg_mock',
    type: 'message',
    role: 'assistant',
    model: model ?? request.json?.['model'],
    content,
    stop_reason: stop_reason ?? (calls ? 'tool_use' : 'end_turn'),
    stop_sequence: null,
    usage: { input_tokens: 100, output_tokens: 10, ...usage },
  };
}

function wholeReply(answer: AnthropicAnswer, request: RecordedRequest): Reply {
  return {
    ...deliveryOf(answer),
    status: 200,
    headers: { 'content-type': 'application/json', 'request-id': 'req_mock' },
    parts: [JSON.stringify(messageOf(answer, request))],
  };
}

function streamReply(answer: AnthropicAnswer, request: RecordedRequest): Reply {
  const events = anthropicEvents(messageOf(answer, request));
  if (answer.errorEvent !== undefined) {
    events.splice(answer.stopAfter ?? events.length, Infinity, errorEvent(answer.errorEvent));
  }
  return {
    ...deliveryOf(answer),
    ...(answer.errorEvent !== undefined && { stopAfter: events.length }),
    status: 200,
    headers: { 'content-type': 'text/event-stream; charset=utf-8', 'request-id': 'req_mock' },
    parts: events.map(sse),
  };
}

function deliveryOf({ delayMs, pieceBytes, everyMs, stopAfter, finally: last }: Delivery): Delivery {
  return Object.fromEntries(
    Object.entries({ delayMs, pieceBytes, everyMs, stopAfter, finally: last }).filter(
      ([, value]) => value !== undefined,
    ),
  );
}

/** One event in wire format. */
export function sse(event: Json): string {
  return `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`;
}

function errorEvent(type: string): Json {
  return { type: 'error', error: { type, message: `mock ${type}` } };
}

/** The events in which the provider streams a message: texts and inputs in several deltas, a ping after the start. */
export function anthropicEvents(message: Json): Json[] {
  const { content, stop_reason, stop_sequence, usage, ...rest } = message;
  const counts = usage as Json;
  const start = {
    ...rest,
    content: [],
    stop_reason: null,
    stop_sequence: null,
    usage: { ...counts, output_tokens: 1 },
  };
  return [
    { type: 'message_start', message: start },
    { type: 'ping' },
    ...(content as Json[]).flatMap((block, index) => blockEvents(block, index)),
    { type: 'message_delta', delta: { stop_reason, stop_sequence }, usage: counts },
    { type: 'message_stop' },
  ];
}

function blockEvents(block: Json, index: number): Json[] {
  const { start, deltas } = splitBlock(block);
  return [
    { type: 'content_block_start', index, content_block: start },
    ...deltas.map((delta) => ({ type: 'content_block_delta', index, delta })),
    { type: 'content_block_stop', index },
  ];
}

function splitBlock(block: Json): { start: Json; deltas: Json[] } {
  switch (block['type']) {
    case 'text':
      return {
        start: { type: 'text', text: '' },
        deltas: [
          ...cut(String(block['text'])).map((text) => ({ type: 'text_delta', text })),
          ...((block['citations'] ?? []) as Json[]).map((citation) => ({ type: 'citations_delta', citation })),
        ],
      };
    case 'thinking':
      return {
        start: { type: 'thinking', thinking: '', signature: '' },
        deltas: [
          ...cut(String(block['thinking'])).map((thinking) => ({ type: 'thinking_delta', thinking })),
          { type: 'signature_delta', signature: block['signature'] },
        ],
      };
    case 'tool_use':
    case 'server_tool_use': {
      const json = Object.keys(block['input'] as Json).length === 0 ? '' : JSON.stringify(block['input']);
      const deltas = ['', ...cut(json)].map((partial_json) => ({ type: 'input_json_delta', partial_json }));
      return { start: { ...block, input: {} }, deltas };
    }
    default:
      return { start: block, deltas: [] };
  }
}

function cut(value: string): string[] {
  return value.match(/[^]{1,12}/gu) ?? [];
}
