import type { ContentBlock, LlmRequest, MediaBlock, Message, TextBlock, ToolResultBlock } from '../client.ts';
import { pdfName } from '../media/pdf.ts';
import { SCALED_IMAGES, visibleMessages } from '../media/visible-media.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { OPENAI_DIALECT } from '../schema/dialect.ts';
import { toolChoiceOf } from '../wire/held-schema.ts';
import { withLegalCallIds } from '../wire/legal-call-ids.ts';
import { OPENAI_TIERS, openaiFormat } from '../wire/openai-terms.ts';
import { ownsBlock } from '../wire/own-blocks.ts';
import { sentTools } from '../wire/strict-tools.ts';
import { inputToSendBack } from '../wire/tool-input.ts';
import type { RequestContext } from '../wire/wire.ts';
import { reasoningToSendBack } from './reasoning.ts';

type Json = Record<string, unknown>;

/** What the mapping needs in addition to the request. */
export interface ResponsesContext extends RequestContext {
  /** True for OpenAI itself, which has options that compatible servers may refuse. */
  readonly isOpenAi: boolean;
}

/** The API refuses a lower bound of the answer. */
const MIN_OUTPUT_TOKENS = 16;

const CALL_ID = /^[^\s]{1,64}$/;

/**
 * The body of POST /responses. Nothing is kept at the provider: each request carries the whole history, and reasoning in
 * its encrypted form.
 */
export function responsesBody(request: LlmRequest, stream: boolean, context: ResponsesContext): Json {
  const { model, isOpenAi } = context;
  const body: Json = {
    model: request.model,
    store: false,
    stream,
    max_output_tokens: Math.max(MIN_OUTPUT_TOKENS, request.maxTokens),
    ...(request.system.trim() !== '' && { instructions: request.system }),
    ...tools(request, model),
    input: input(request, context),
  };
  // Models that do not reason refuse it.
  if (model.thinking === 'always' || !model.known) body['include'] = ['reasoning.encrypted_content'];
  if (request.effort !== undefined && (model.effort || !model.known)) body['reasoning'] = { effort: request.effort };
  const format = openaiFormat(request, model);
  if (format) body['text'] = { format: { type: 'json_schema', ...format } };
  if (request.serviceTier !== undefined) body['service_tier'] = OPENAI_TIERS[request.serviceTier];
  if (isOpenAi && request.cacheTtl === '24h') body['prompt_cache_retention'] = '24h';
  if (request.temperature !== undefined && model.temperature) body['temperature'] = request.temperature;
  if (isOpenAi && request.conversationId !== undefined) body['prompt_cache_key'] = request.conversationId;
  // Padding of each delta against observers of encrypted traffic; it doubles the stream.
  if (isOpenAi && stream) body['stream_options'] = { include_obfuscation: false };
  return body;
}

/** `strict` is always sent: the API would otherwise make tools strict, and change their schemas for it. */
function tools(request: LlmRequest, model: ModelInfo): Json {
  if (request.tools.length === 0) return {};
  const toolChoice = toolChoiceOf(request, model);
  return {
    tools: sentTools(request, model, OPENAI_DIALECT).map(({ name, description, inputSchema, strict }) => ({
      type: 'function',
      name,
      description,
      parameters: inputSchema,
      strict,
    })),
    ...(toolChoice !== undefined && { tool_choice: mapToolChoice(toolChoice) }),
    ...(model.parallelTools && { parallel_tool_calls: true }),
  };
}

function mapToolChoice(choice: NonNullable<LlmRequest['toolChoice']>): unknown {
  if (choice === 'any') return 'required';
  return typeof choice === 'string' ? choice : { type: 'function', name: choice.name };
}

function input(request: LlmRequest, context: ResponsesContext): Json[] {
  const items: Json[] = [];
  for (const message of withLegalCallIds(visibleMessages(request, context.model, SCALED_IMAGES), CALL_ID)) {
    if (message.role === 'assistant') items.push(...answer(message, request.model, context));
    else addUser(items, message);
  }
  return items;
}

/**
 * An answer item by item, in its order. Reasoning goes back to the model that wrote it, and only before what it led to:
 * reasoning at the end of an answer that was cut off is refused.
 */
function answer({ content }: Message, model: string, { provider }: ResponsesContext): Json[] {
  const items = content.flatMap((block) => answerItem(block, model, provider));
  const last = items.findLastIndex((item) => item['type'] !== 'reasoning');
  return items.slice(0, last + 1);
}

function answerItem(block: ContentBlock, model: string, provider: string): Json[] {
  switch (block.type) {
    case 'text':
      return block.text.trim() === '' ? [] : [said(block, block.text)];
    case 'tool_call':
      return [
        {
          type: 'function_call',
          call_id: block.id,
          name: block.name,
          arguments: JSON.stringify(inputToSendBack(block)),
        },
      ];
    case 'thinking': {
      const item = ownsBlock(block, provider, model) ? reasoningToSendBack(block) : null;
      return item === null ? [] : [{ ...item }];
    }
    case 'opaque':
      return ownsBlock(block, provider, model) ? [{ ...block.value }] : [];
    case 'image':
    case 'document':
    case 'redacted_thinking':
    case 'tool_result':
      return [];
    default:
      return block satisfies never;
  }
}

function said({ phase }: TextBlock, text: string): Json {
  const content = [{ type: 'output_text', text }];
  return { type: 'message', role: 'assistant', content, ...(phase !== undefined && { phase }) };
}

/** Results become items of their own, and the rest one user message after them. */
function addUser(items: Json[], { content }: Message): void {
  items.push(...content.flatMap((block) => (block.type === 'tool_result' ? [result(block)] : [])));
  const parts = content.flatMap((block) =>
    block.type === 'text' || block.type === 'image' || block.type === 'document' ? part(block) : [],
  );
  if (parts.length > 0) items.push({ type: 'message', role: 'user', content: parts });
}

/** Text, or parts where there are images or documents. The format has no flag for errors. */
function result({ callId, content, isError }: ToolResultBlock): Json {
  const text = content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
  const media = content.filter((block) => block.type !== 'text').flatMap(part);
  const body = text.trim() === '' && media.length === 0 ? '(no output)' : text;
  const marked = isError && !/^\W*error/i.test(body) ? `Error: ${body}` : body;
  const output = media.length === 0 ? marked : [...(marked.trim() === '' ? [] : [textPart(marked)]), ...media];
  return { type: 'function_call_output', call_id: callId, output };
}

function part(block: TextBlock | MediaBlock): Json[] {
  if (block.type === 'text') return block.text.trim() === '' ? [] : [textPart(block.text)];
  const url = `data:${block.mediaType};base64,${block.data}`;
  if (block.type === 'image') return [{ type: 'input_image', detail: 'auto', image_url: url }];
  if (block.mediaType.startsWith('text/')) return [textPart(Buffer.from(block.data, 'base64').toString('utf8'))];
  return [{ type: 'input_file', filename: pdfName(block.name), file_data: url }];
}

function textPart(text: string): Json {
  return { type: 'input_text', text };
}
