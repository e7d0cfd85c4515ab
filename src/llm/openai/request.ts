import type { ContentBlock, LlmRequest, MediaBlock, Message, TextBlock, ToolResultBlock } from '../client.ts';
import { pdfName } from '../media/pdf.ts';
import { SCALED_IMAGES, visibleMessages } from '../media/visible-media.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { OPENAI_DIALECT } from '../schema/dialect.ts';
import { toolChoiceOf } from '../wire/held-schema.ts';
import { withLegalCallIds } from '../wire/legal-call-ids.ts';
import { OPENAI_TIERS, openaiFormat } from '../wire/openai-terms.ts';
import { openExchangeStart, ownsBlock } from '../wire/own-blocks.ts';
import { sentTools } from '../wire/strict-tools.ts';
import { inputToSendBack } from '../wire/tool-input.ts';
import type { RequestContext } from '../wire/wire.ts';

type Json = Record<string, unknown>;

/** What the mapping needs in addition to the request. */
export interface OpenAiContext extends RequestContext {
  /** True for OpenAI itself, which accepts cache keys. Compatible servers refuse unknown fields. */
  readonly isOpenAi: boolean;
  /** The accepted form of call ids. */
  readonly callIds: RegExp;
  /** True: a user message may follow tool messages directly. */
  readonly userAfterTools: boolean;
}

/** The body of POST /chat/completions. */
export function openaiBody(request: LlmRequest, stream: boolean, context: OpenAiContext): Json {
  const { tools, stop } = request;
  const { model } = context;
  const reasons = model.thinking === 'always';
  const body: Json = {
    model: request.model,
    [reasons ? 'max_completion_tokens' : 'max_tokens']: request.maxTokens,
    stream,
    messages: messages(request, context),
  };
  // Most servers report the usage of a stream only on request.
  if (stream) body['stream_options'] = { include_usage: true };
  if (tools.length > 0) {
    body['tools'] = sentTools(request, model, OPENAI_DIALECT).map(({ name, description, inputSchema, strict }) => ({
      type: 'function',
      function: { name, description, parameters: inputSchema, ...(strict && { strict }) },
    }));
    if (model.parallelTools) body['parallel_tool_calls'] = true;
    const toolChoice = toolChoiceOf(request, model);
    if (toolChoice !== undefined) body['tool_choice'] = mapToolChoice(toolChoice);
  }
  if (request.temperature !== undefined && model.temperature) body['temperature'] = request.temperature;
  if (stop && stop.length > 0 && !reasons) body['stop'] = stop;
  const effort = effortOf(request, model);
  if (effort) body['reasoning_effort'] = effort;
  const format = openaiFormat(request, model);
  if (format) body['response_format'] = { type: 'json_schema', json_schema: format };
  if (request.serviceTier !== undefined) body['service_tier'] = OPENAI_TIERS[request.serviceTier];
  if (request.cacheTtl === '24h' && context.isOpenAi) body['prompt_cache_retention'] = '24h';
  if (context.isOpenAi && request.conversationId !== undefined) body['prompt_cache_key'] = request.conversationId;
  return body;
}

function effortOf({ tools, effort }: LlmRequest, model: ModelInfo): string | undefined {
  if (tools.length > 0 && !model.effortWithTools) return 'none';
  return model.effort || !model.known ? effort : undefined;
}

function mapToolChoice(choice: NonNullable<LlmRequest['toolChoice']>): unknown {
  if (choice === 'any') return 'required';
  return typeof choice === 'string' ? choice : { type: 'function', function: { name: choice.name } };
}

function messages(request: LlmRequest, context: OpenAiContext): Json[] {
  const openFrom = openExchangeStart(request.messages);
  const shown = visibleMessages(request, context.model, SCALED_IMAGES);
  const mapped: Json[] = request.system.trim() === '' ? [] : [{ role: 'system', content: request.system }];
  for (const [index, message] of withLegalCallIds(shown, context.callIds).entries()) {
    if (message.role === 'assistant') mapped.push(...assistant(message, request.model, context, index >= openFrom));
    else addUser(mapped, message, context);
  }
  return mapped;
}

/** Sends reasoning back within the open tool exchange only: some vendors require it there, others refuse it elsewhere. */
function assistant({ content }: Message, model: string, context: OpenAiContext, isOpen: boolean): Json[] {
  const text = content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
  const calls = content.flatMap((block) =>
    block.type === 'tool_call'
      ? {
          id: block.id,
          type: 'function',
          function: { name: block.name, arguments: JSON.stringify(inputToSendBack(block)) },
          ...(block.extra && ownsBlock(block.extra, context.provider, model) && block.extra.fields),
        }
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  const own = (block: ContentBlock) => block.type === 'thinking' && ownsBlock(block, context.provider, model);
  const fields = isOpen ? content.filter(own).map((block) => (block.type === 'thinking' ? block.fields : {})) : [];
  return [
    {
      role: 'assistant',
      content: text === '' ? null : text,
      ...(calls.length > 0 && { tool_calls: calls }),
      ...Object.assign({}, ...fields),
    },
  ];
}

/**
 * Results become tool messages, and the rest one user message after them, the only accepted order. Images in results are
 * in that message, too, because tool messages hold only text. Consecutive user messages are joined; some templates need it.
 */
function addUser(mapped: Json[], { content }: Message, { userAfterTools }: OpenAiContext): void {
  const results = content.filter((block) => block.type === 'tool_result');
  mapped.push(...results.map(toolMessage));
  const pictures = results.flatMap(picturesOf);
  const rest = content.flatMap((block) =>
    block.type === 'text' || block.type === 'image' || block.type === 'document' ? part(block) : [],
  );
  const parts = [...pictures.flatMap(part), ...rest];
  if (parts.length === 0) return;
  if (!userAfterTools && mapped.at(-1)?.['role'] === 'tool') mapped.push(AFTER_TOOLS);
  const previous = mapped.at(-1);
  if (previous?.['role'] !== 'user') {
    mapped.push({ role: 'user', content: flatten(parts) });
    return;
  }
  const before = previous['content'];
  previous['content'] = flatten([...(typeof before === 'string' ? [textPart(before)] : (before as Json[])), ...parts]);
}

/** Inserted after tool results for servers that require an assistant message before the next user message. */
const AFTER_TOOLS = { role: 'assistant', content: 'I have the results.' };

function toolMessage({ callId, content, isError }: ToolResultBlock): Json {
  const pictures = content.length - content.filter((block) => block.type === 'text').length;
  const text = content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('\n');
  const note = pictures > 0 ? `(${pictures} file(s) follow in the next user message)` : '';
  const body = [text, note].filter((line) => line.trim() !== '').join('\n') || '(no output)';
  // The wire format has no flag for errors.
  const marked = isError && !/^\W*error/i.test(body) ? `Error: ${body}` : body;
  return { role: 'tool', tool_call_id: callId, content: marked };
}

function picturesOf({ callId, content }: ToolResultBlock): (TextBlock | MediaBlock)[] {
  const pictures = content.filter((block) => block.type !== 'text');
  return pictures.length > 0 ? [{ type: 'text', text: `From the result of call ${callId}:` }, ...pictures] : [];
}

function part(block: TextBlock | MediaBlock): Json[] {
  if (block.type === 'text') return block.text.trim() === '' ? [] : [textPart(block.text)];
  const url = `data:${block.mediaType};base64,${block.data}`;
  if (block.type === 'image') return [{ type: 'image_url', image_url: { url } }];
  if (block.mediaType.startsWith('text/')) return [textPart(Buffer.from(block.data, 'base64').toString('utf8'))];
  return [{ type: 'file', file: { filename: pdfName(block.name), file_data: url } }];
}

function textPart(text: string): Json {
  return { type: 'text', text };
}

/** Plain text if there is nothing else: not every compatible server accepts parts. */
function flatten(parts: readonly Json[]): string | readonly Json[] {
  const texts = parts.flatMap((each) => (each['type'] === 'text' ? (each['text'] as string) : []));
  return texts.length === parts.length ? texts.join('\n\n') : parts;
}
