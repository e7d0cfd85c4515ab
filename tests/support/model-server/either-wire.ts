/** One script of answers for all wire formats: tests that use this run once per format (the projects of vitest.config.ts). */
import { inject } from 'vitest';
import { type AnthropicAnswer, type AnthropicProgramme, type HttpAnswer, startAnthropicServer } from './anthropic.ts';
import { type OpenAiAnswer, type OpenAiHttpAnswer, startOpenAiServer } from './openai.ts';
import { type ResponsesAnswer, type ResponsesItem, startResponsesServer } from './responses.ts';
import type { ModelServer } from './server.ts';

type Json = Record<string, unknown>;

declare module 'vitest' {
  interface ProvidedContext {
    /** The wire format that the end-to-end tests of this project use. */
    wire: 'anthropic' | 'openai' | 'responses';
  }
}

/** The format of this run. */
export const WIRE = inject('wire');

/** The `model` of a faculty for this format: in the catalogue, with a price. That of Responses is a reasoning model. */
export const MODEL = {
  anthropic: 'claude-sonnet-4-5',
  openai: 'openai/gpt-4.1',
  responses: 'openai/gpt-5.4-mini',
}[WIRE];

/** Its provider, and the kind of that provider. */
export const PROVIDER = WIRE === 'anthropic' ? 'anthropic' : 'openai';

/**
 * A strict mock of the provider of this run. Scripts are written with Anthropic's blocks for all formats: requests of the
 * others are converted to that form for them, and their answers are converted back. What only one format has
 * (`pause_turn`, thinking blocks) throws for the others. On Responses, each answer begins with sealed reasoning.
 */
export async function startModelServer(
  programme: AnthropicProgramme | readonly (AnthropicAnswer | HttpAnswer)[],
): Promise<ModelServer> {
  if (WIRE === 'anthropic') return startAnthropicServer(programme);
  const answerOf: AnthropicProgramme =
    typeof programme === 'function' ? programme : (_, index) => programme[Math.min(index, programme.length - 1)]!;
  if (WIRE === 'responses')
    return startResponsesServer((body, index, request) => inItems(answerOf(inBlocks(body), index, request), body));
  return startOpenAiServer((body, index, request) => inOpenAiWords(answerOf(inBlocks(body), index, request)));
}

/** The messages of a request in Anthropic's blocks, whatever its format. */
export function messagesOf(body: Json): { readonly role: string; readonly content: readonly Json[] }[] {
  return inBlocks(body)['messages'] as { role: string; content: Json[] }[];
}

function inBlocks(body: Json): Json {
  if (WIRE === 'anthropic') return body;
  const messages: { role: string; content: Json[] }[] = [];
  const add = (role: 'assistant' | 'user', blocks: readonly Json[]) => {
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocks);
    else messages.push({ role, content: [...blocks] });
  };
  if (WIRE === 'responses') {
    for (const item of body['input'] as Json[]) add(isOfModel(item) ? 'assistant' : 'user', blocksOfItem(item));
    return { ...body, messages };
  }
  for (const message of body['messages'] as Json[]) {
    if (message['role'] !== 'system') add(message['role'] === 'assistant' ? 'assistant' : 'user', blocksOf(message));
  }
  return { ...body, messages };
}

function isOfModel({ type, role }: Json): boolean {
  return type === 'reasoning' || type === 'function_call' || role === 'assistant';
}

/** Reasoning is left out: it is sealed, and programmes do not look at it. */
function blocksOfItem(item: Json): Json[] {
  const text = (parts: unknown) =>
    typeof parts === 'string'
      ? [{ type: 'text', text: parts }]
      : (parts as Json[]).map((part) => (part['text'] === undefined ? part : { type: 'text', text: part['text'] }));
  switch (item['type']) {
    case 'reasoning':
      return [];
    case 'function_call': {
      const { call_id: id, name, arguments: json } = item;
      return [{ type: 'tool_use', id, name, input: JSON.parse(String(json)) as Json }];
    }
    case 'function_call_output':
      return [{ type: 'tool_result', tool_use_id: item['call_id'], content: text(item['output']) }];
    default:
      return text(item['content']);
  }
}

function blocksOf(message: Json): Json[] {
  const { content, tool_calls: calls, tool_call_id: callId } = message;
  const text = typeof content === 'string' ? [{ type: 'text', text: content }] : ((content ?? []) as Json[]);
  if (callId !== undefined) return [{ type: 'tool_result', tool_use_id: callId, content: text }];
  return [
    ...text,
    ...((calls ?? []) as { id: string; function: { name: string; arguments: string } }[]).map((call) => ({
      type: 'tool_use',
      id: call.id,
      name: call.function.name,
      input: JSON.parse(call.function.arguments) as Json,
    })),
  ];
}

const FINISH: Readonly<Record<string, string>> = {
  end_turn: 'stop',
  tool_use: 'tool_calls',
  max_tokens: 'length',
  refusal: 'content_filter',
  model_context_window_exceeded: 'model_length',
};

function inOpenAiWords(answer: AnthropicAnswer | HttpAnswer): OpenAiAnswer | OpenAiHttpAnswer {
  if ('status' in answer) return inOpenAiError(answer);
  const { content, stop_reason: stop, usage, errorEvent, ...rest } = answer;
  if (errorEvent !== undefined) throw new Error('errorEvent is Anthropic’s alone');
  const texts = content.filter((block) => block['type'] === 'text').map((block) => String(block['text']));
  const calls = content
    .filter((block) => block['type'] === 'tool_use')
    .map((block) => ({ id: String(block['id']), name: String(block['name']), input: block['input'] as Json }));
  if (texts.length + calls.length < content.length) throw new Error('a block that Chat Completions does not have');
  const finish = stop === undefined ? undefined : FINISH[stop];
  if (stop !== undefined && finish === undefined) throw new Error(`Chat Completions has no ${stop}`);
  return {
    ...rest,
    ...(texts.length > 0 && { text: texts.join('') }),
    ...(calls.length > 0 && { calls }),
    ...(finish !== undefined && { finish_reason: finish }),
    ...(usage !== undefined && { usage: inOpenAiCounts(usage) }),
  };
}

function inOpenAiError({ error, ...rest }: HttpAnswer): OpenAiHttpAnswer {
  return { ...rest, ...(error !== undefined && { type: error }) };
}

const INCOMPLETE: Readonly<Record<string, string | undefined>> = {
  end_turn: undefined,
  tool_use: undefined,
  max_tokens: 'max_output_tokens',
  refusal: 'content_filter',
};

/** An answer that is bought again has the same reasoning again, so that requests can be compared. */
function inItems(answer: AnthropicAnswer | HttpAnswer, { input }: Json): ResponsesAnswer | OpenAiHttpAnswer {
  if ('status' in answer) return inOpenAiError(answer);
  const { content, stop_reason: stop = 'end_turn', usage, errorEvent, ...rest } = answer;
  if (errorEvent !== undefined) throw new Error('errorEvent is Anthropic’s alone');
  if (!(stop in INCOMPLETE)) throw new Error(`Responses has no ${stop}`);
  const incomplete = INCOMPLETE[stop];
  const items = content.map((block): ResponsesItem => {
    if (block['type'] === 'text') return { text: String(block['text']) };
    if (block['type'] !== 'tool_use') throw new Error('a block that Responses does not have');
    return { call: String(block['id']), name: String(block['name']), input: block['input'] as Json };
  });
  return {
    ...rest,
    output: [{ reasoning: `thought of ${(input as Json[]).length} items` }, ...items],
    ...(incomplete !== undefined && { incomplete }),
    ...(usage !== undefined && { usage: inResponsesCounts(usage) }),
  };
}

/** There `input_tokens` holds the cached ones too. */
function inResponsesCounts(usage: Json): Json {
  const { prompt_tokens: input, completion_tokens: output, prompt_tokens_details: details } = inOpenAiCounts(usage);
  return { input_tokens: input, output_tokens: output, input_tokens_details: details };
}

/** There `prompt_tokens` holds the cached ones too. */
function inOpenAiCounts(usage: Json): Json {
  const {
    input_tokens = 100,
    output_tokens = 10,
    cache_read_input_tokens = 0,
    cache_creation_input_tokens = 0,
  } = usage as Record<string, number>;
  const prompt = input_tokens + cache_read_input_tokens + cache_creation_input_tokens;
  return {
    prompt_tokens: prompt,
    completion_tokens: output_tokens,
    total_tokens: prompt + output_tokens,
    prompt_tokens_details: { cached_tokens: cache_read_input_tokens },
  };
}
