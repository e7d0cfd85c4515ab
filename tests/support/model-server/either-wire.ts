/** One script of answers for both wire formats: tests that use this run once per format (the projects of vitest.config.ts). */
import { inject } from 'vitest';
import { type AnthropicAnswer, type AnthropicProgramme, type HttpAnswer, startAnthropicServer } from './anthropic.ts';
import { type OpenAiAnswer, type OpenAiHttpAnswer, startOpenAiServer } from './openai.ts';
import type { ModelServer } from './server.ts';

type Json = Record<string, unknown>;

declare module 'vitest' {
  interface ProvidedContext {
    /** The wire format that the end-to-end tests of this project use. */
    wire: 'anthropic' | 'openai';
  }
}

/** The format of this run. */
export const WIRE = inject('wire');

/** The `model` of a faculty for this format: in the catalogue, with a price. */
export const MODEL = { anthropic: 'claude-sonnet-4-5', openai: 'openai/gpt-4.1' }[WIRE];

/**
 * A strict mock of the provider of this run. Scripts are written with Anthropic's blocks for both formats: requests of Chat
 * Completions are converted to that form for them, and their answers are converted back. What only one format has
 * (`pause_turn`, thinking blocks) throws for the other.
 */
export async function startModelServer(
  programme: AnthropicProgramme | readonly (AnthropicAnswer | HttpAnswer)[],
): Promise<ModelServer> {
  if (WIRE === 'anthropic') return startAnthropicServer(programme);
  const answerOf: AnthropicProgramme =
    typeof programme === 'function' ? programme : (_, index) => programme[Math.min(index, programme.length - 1)]!;
  return startOpenAiServer((body, index, request) => inOpenAiWords(answerOf(inBlocks(body), index, request)));
}

/** The messages of a request in Anthropic's blocks, whatever its format. */
export function messagesOf(body: Json): { readonly role: string; readonly content: readonly Json[] }[] {
  return inBlocks(body)['messages'] as { role: string; content: Json[] }[];
}

function inBlocks(body: Json): Json {
  if (WIRE === 'anthropic') return body;
  const messages: { role: string; content: Json[] }[] = [];
  for (const message of body['messages'] as Json[]) {
    const role = message['role'] === 'assistant' ? 'assistant' : 'user';
    if (message['role'] === 'system') continue;
    const last = messages.at(-1);
    if (last?.role === role) last.content.push(...blocksOf(message));
    else messages.push({ role, content: blocksOf(message) });
  }
  return { ...body, messages };
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
  if ('status' in answer) {
    const { error, ...rest } = answer;
    return { ...rest, ...(error !== undefined && { type: error }) };
  }
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

/** In that format, `prompt_tokens` includes the cached ones. */
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
