import type { ContentBlock, LlmRequest, MediaBlock, Message, TextBlock } from '../client.ts';
import { SCALED_IMAGES, visibleMessages } from '../media/visible-media.ts';
import type { ModelInfo } from '../models/model-info.ts';
import { grammarSchema } from '../schema/grammar-schema.ts';
import { heldSchema } from '../wire/held-schema.ts';
import { openExchangeStart, ownsBlock } from '../wire/own-blocks.ts';
import { inputToSendBack } from '../wire/tool-input.ts';
import type { RequestContext } from '../wire/wire.ts';

type Json = Record<string, unknown>;

/**
 * The body of POST /api/chat. The window is set to the size that animus assumes, and a longer prompt is refused, not
 * cut: `truncate` and `shift` are from version 0.12.4 of Ollama, older ones ignore them.
 */
export function ollamaBody(request: LlmRequest, stream: boolean, context: RequestContext): Json {
  const { tools, temperature, stop } = request;
  const think = thinkOf(request, context.model);
  const held = heldSchema(request, context.model);
  return {
    model: request.model,
    stream,
    truncate: false,
    shift: false,
    ...(think !== undefined && { think }),
    ...(held && { format: grammarSchema(held.schema) }),
    messages: messages(request, context),
    ...(tools.length > 0 && {
      tools: tools.map(({ name, description, inputSchema }) => ({
        type: 'function',
        function: { name, description, parameters: inputSchema },
      })),
    }),
    options: {
      num_ctx: context.model.contextWindow,
      num_predict: request.maxTokens,
      ...(temperature !== undefined && { temperature }),
      ...(stop && stop.length > 0 && { stop }),
    },
  };
}

/** GPT-OSS has three levels, other models can only think or not. */
function thinkOf({ model, effort }: LlmRequest, info: ModelInfo): boolean | string | undefined {
  if (effort === undefined || (info.known && !info.effort && info.thinking === 'none')) return undefined;
  if (effort === 'none') return false;
  return /(^|\/)gpt-oss/.test(model) ? GPT_OSS_LEVELS[effort] : true;
}

const GPT_OSS_LEVELS = {
  minimal: 'low',
  low: 'low',
  medium: 'medium',
  high: 'high',
  xhigh: 'high',
  max: 'high',
} as const;

/** It accepts no documents; they are replaced by words. */
function messages(request: LlmRequest, context: RequestContext): Json[] {
  const openFrom = openExchangeStart(request.messages);
  const names = new Map<string, string>();
  const system = request.system.trim() === '' ? [] : [{ role: 'system', content: request.system }];
  const mapped = visibleMessages(request, context.model, SCALED_IMAGES).flatMap((message, index) => {
    if (message.role === 'user') return user(message, names);
    for (const block of message.content) if (block.type === 'tool_call') names.set(block.id, block.name);
    return assistant(message, request.model, context, index >= openFrom);
  });
  return [...system, ...mapped];
}

/** Thinking is sent back within the open tool exchange only. */
function assistant({ content }: Message, model: string, { provider }: RequestContext, isOpen: boolean): Json[] {
  const text = content.flatMap((block) => (block.type === 'text' ? block.text : [])).join('');
  const thinking = content
    .flatMap((block) => (isOpen && block.type === 'thinking' && ownsBlock(block, provider, model) ? block.text : []))
    .join('');
  const calls = content.flatMap((block) =>
    block.type === 'tool_call'
      ? { id: block.id, function: { name: block.name, arguments: inputToSendBack(block) } }
      : [],
  );
  if (text === '' && calls.length === 0) return [];
  return [
    {
      role: 'assistant',
      content: text,
      ...(thinking !== '' && { thinking }),
      ...(calls.length > 0 && { tool_calls: calls }),
    },
  ];
}

/** Results become tool messages, the rest one user message after them, with the images of both. */
function user({ content }: Message, names: ReadonlyMap<string, string>): Json[] {
  const results = content.filter((block) => block.type === 'tool_result');
  const others = content.filter(isShown);
  const files = results.flatMap((result) => result.content.filter((block) => block.type !== 'text'));
  const parts: (TextBlock | MediaBlock)[] = [...files, ...others];
  const images = parts.flatMap((block) => (block.type === 'image' ? block.data : []));
  const text = parts
    .map(textOf)
    .filter((each) => each.trim() !== '')
    .join('\n\n');
  return [
    ...results.map((result) => {
      const said = result.content.map((block) => (block.type === 'text' ? block.text : FOLLOWS)).join('\n');
      const body = said.trim() === '' ? '(no output)' : said;
      const name = names.get(result.callId);
      return {
        role: 'tool',
        content: result.isError && !/^\W*error/i.test(body) ? `Error: ${body}` : body,
        ...(name !== undefined && { tool_name: name }),
        tool_call_id: result.callId,
      };
    }),
    ...(parts.length > 0 ? [{ role: 'user', content: text, ...(images.length > 0 && { images }) }] : []),
  ];
}

function isShown(block: ContentBlock): block is TextBlock | MediaBlock {
  return block.type === 'text' || block.type === 'image' || block.type === 'document';
}

const FOLLOWS = '(a file follows in the next user message)';

/** Ollama takes images and text. */
function textOf(block: TextBlock | MediaBlock): string {
  if (block.type === 'text') return block.text;
  if (block.type === 'image') return '';
  if (block.mediaType.startsWith('text/')) return Buffer.from(block.data, 'base64').toString('utf8');
  return `(a document of type ${block.mediaType} that this model cannot read)`;
}
