import type { OpenAiHttpAnswer } from './openai.ts';
import { refusalOf, seal } from './responses-rules.ts';
import { type Delivery, type ModelServer, type RecordedRequest, type Reply, startServer } from './server.ts';

type Json = Record<string, unknown>;

/** An answer in the items of Responses; the mock adds their ids and seals their reasoning. */
export interface ResponsesAnswer extends Delivery {
  readonly output: readonly ResponsesItem[];
  /** `incomplete_details.reason`; the answer is then incomplete. */
  readonly incomplete?: string;
  /** Over 100 input and 10 output tokens; null for a server that never reports any. */
  readonly usage?: Json | null;
  readonly model?: string;
}

export type ResponsesItem =
  | { readonly text: string; readonly phase?: string }
  | { readonly refusal: string }
  | { readonly reasoning: string; readonly summary?: readonly string[] }
  | { readonly call: string; readonly name: string; readonly input: Json };

/** What to answer to the n-th request (from 0) that the vendor would accept. */
export type ResponsesProgramme = (
  body: Json,
  index: number,
  request: RecordedRequest,
) => ResponsesAnswer | OpenAiHttpAnswer;

/**
 * A strict mock of OpenAI's Responses (base URL `${url}/v1`), with /models. It answers 400 where the vendor would, and
 * opens sealed reasoning only for the model that wrote it. A list of answers is played in order, its last one for ever.
 */
export async function startResponsesServer(
  programme: ResponsesProgramme | readonly (ResponsesAnswer | OpenAiHttpAnswer)[],
): Promise<ModelServer> {
  let accepted = 0;
  const answerOf: ResponsesProgramme =
    typeof programme === 'function' ? programme : (_, index) => programme[Math.min(index, programme.length - 1)]!;
  return startServer((request) => {
    const refusal = refusalOf(request);
    if (refusal) {
      request.refused = refusal.message;
      return errorReply({ status: refusal.status, message: refusal.message, type: refusal.type });
    }
    if (request.path === '/v1/models')
      return jsonReply({ object: 'list', data: [{ id: 'gpt-mock', object: 'model' }] });
    const answer = answerOf(request.json ?? {}, accepted, request);
    accepted += 1;
    if ('status' in answer) return errorReply(answer);
    const response = responseOf(answer, String(request.json?.['model']));
    if (request.json?.['stream'] !== true) return { ...jsonReply(response), ...deliveryOf(answer) };
    return {
      ...deliveryOf(answer),
      status: 200,
      headers: { 'content-type': 'text/event-stream; charset=utf-8', 'x-request-id': 'req_mock' },
      parts: responsesEvents(response).map(
        (event) => `event: ${String(event['type'])}\ndata: ${JSON.stringify(event)}\n\n`,
      ),
    };
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

function jsonReply(value: unknown): Reply {
  return { status: 200, headers: { 'content-type': 'application/json' }, parts: [JSON.stringify(value)] };
}

/** The whole answer, as an unstreamed call gets it. */
export function responseOf(answer: ResponsesAnswer, requested: string): Json {
  const { output, incomplete, usage } = answer;
  const model = answer.model ?? requested;
  return {
    id: 'resp_mock',
    object: 'response',
    status: incomplete === undefined ? 'completed' : 'incomplete',
    error: null,
    incomplete_details: incomplete === undefined ? null : { reason: incomplete },
    model,
    output: output.map((item, index) => itemOf(item, index, requested)),
    store: false,
    usage:
      usage === null
        ? null
        : {
            input_tokens: 100,
            input_tokens_details: { cached_tokens: 0 },
            output_tokens: 10,
            output_tokens_details: { reasoning_tokens: 0 },
            total_tokens: 110,
            ...usage,
          },
  };
}

function itemOf(item: ResponsesItem, index: number, model: string): Json {
  if ('reasoning' in item) {
    const summary = (item.summary ?? []).map((text) => ({ type: 'summary_text', text }));
    return { id: `rs_${index}`, type: 'reasoning', encrypted_content: seal(model, item.reasoning), summary };
  }
  if ('call' in item) {
    const { call, name, input } = item;
    const json = JSON.stringify(input);
    return { id: `fc_${index}`, type: 'function_call', status: 'completed', arguments: json, call_id: call, name };
  }
  const content =
    'refusal' in item
      ? [{ type: 'refusal', refusal: item.refusal }]
      : [{ type: 'output_text', annotations: [], logprobs: [], text: item.text }];
  const phase = 'phase' in item && item.phase !== undefined ? { phase: item.phase } : {};
  return { id: `msg_${index}`, type: 'message', status: 'completed', role: 'assistant', content, ...phase };
}

/** The events by which the vendor streams an answer. */
export function responsesEvents(response: Json): Json[] {
  const begun = { ...response, status: 'in_progress', incomplete_details: null, output: [], usage: null };
  const output = response['output'] as Json[];
  return [
    { type: 'response.created', response: begun },
    { type: 'response.in_progress', response: begun },
    ...output.flatMap(itemEvents),
    { type: `response.${String(response['status'])}`, response },
  ].map((event, sequence_number) => ({ ...event, sequence_number }));
}

function itemEvents(item: Json, output_index: number): Json[] {
  const { id: item_id } = item;
  const at = { item_id, output_index };
  return [
    { type: 'response.output_item.added', output_index, item: begunItem(item) },
    ...innerEvents(item).map(({ type, ...rest }) => ({ type, ...at, ...rest })),
    { type: 'response.output_item.done', output_index, item },
  ];
}

/** An early seal is another one: only that of the finished item counts. */
function begunItem(item: Json): Json {
  switch (item['type']) {
    case 'reasoning':
      return { ...item, encrypted_content: 'gAAAAABearly', summary: [] };
    case 'function_call':
      return { ...item, status: 'in_progress', arguments: '' };
    default:
      return { ...item, status: 'in_progress', content: [] };
  }
}

function innerEvents(item: Json): Json[] {
  switch (item['type']) {
    case 'reasoning':
      return (item['summary'] as { text: string }[]).flatMap(({ text }, summary_index) => [
        { type: 'response.reasoning_summary_part.added', summary_index, part: { type: 'summary_text', text: '' } },
        ...cut(text).map((delta) => ({ type: 'response.reasoning_summary_text.delta', summary_index, delta })),
        { type: 'response.reasoning_summary_text.done', summary_index, text },
        { type: 'response.reasoning_summary_part.done', summary_index, part: { type: 'summary_text', text } },
      ]);
    case 'function_call': {
      const json = String(item['arguments']);
      return [
        ...cut(json).map((delta) => ({ type: 'response.function_call_arguments.delta', delta })),
        { type: 'response.function_call_arguments.done', arguments: json },
      ];
    }
    default:
      return (item['content'] as Json[]).flatMap(partEvents);
  }
}

function partEvents(part: Json, content_index: number): Json[] {
  const key = part['type'] === 'refusal' ? 'refusal' : 'text';
  const name = part['type'] === 'refusal' ? 'response.refusal' : 'response.output_text';
  const whole = String(part[key]);
  return [
    { type: 'response.content_part.added', content_index, part: { ...part, [key]: '' } },
    ...cut(whole).map((delta) => ({ type: `${name}.delta`, content_index, delta })),
    { type: `${name}.done`, content_index, [key]: whole },
    { type: 'response.content_part.done', content_index, part },
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
