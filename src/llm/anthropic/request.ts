import type { ServiceTier } from '../../core/config/providers/model-words.ts';
import type { ContentBlock, LlmRequest, MediaBlock, Message, TextBlock, ToolResultBlock } from '../client.ts';
import { type MediaRules, visibleMessages } from '../media/visible-media.ts';
import { ANTHROPIC_DIALECT } from '../schema/dialect.ts';
import { strictSchema } from '../schema/strict-schema.ts';
import { heldSchema, toolChoiceOf } from '../wire/held-schema.ts';
import { withLegalCallIds } from '../wire/legal-call-ids.ts';
import { ownsBlock, thinkingMayRun } from '../wire/own-blocks.ts';
import { sentTools } from '../wire/strict-tools.ts';
import { inputToSendBack } from '../wire/tool-input.ts';
import type { RequestContext } from '../wire/wire.ts';
import { budgetOf, sentEffort } from './effort.ts';

type Json = Record<string, unknown>;

/** Breakpoints in addition to the one at the system prompt; the provider accepts four in total. */
const MESSAGE_BREAKPOINTS = 3;

/** The API refuses larger images, with the whole request. The limit of bytes is that of the strictest platform. */
export const ANTHROPIC_MEDIA: MediaRules = { imageBytes: 5 * 1024 * 1024, imageEdge: 8000, animated: true };

/** The API's words for classes of service. */
const SERVICE_TIERS: Readonly<Partial<Record<ServiceTier, string>>> = { auto: 'auto', standard: 'standard_only' };

const CALL_ID = /^[a-zA-Z0-9_-]{1,64}$/;

/** The body of POST /v1/messages (Anthropic API reference, version 2023-06-01). */
export function anthropicBody(request: LlmRequest, stream: boolean, context: RequestContext): Json {
  const cacheControl: Json = { type: 'ephemeral', ...(request.cacheTtl === '1h' && { ttl: '1h' }) };
  const body: Json = {
    model: request.model,
    max_tokens: request.maxTokens,
    stream,
    ...prefix(request, context, cacheControl),
    messages: messages(request, context, cacheControl),
    ...outputConfig(request, context),
    ...thinking(request, context),
  };
  const choice = toolChoiceOf(request, context.model);
  if (request.tools.length > 0 && choice !== undefined) body['tool_choice'] = toolChoice(choice);
  if (request.temperature !== undefined && context.model.temperature) body['temperature'] = request.temperature;
  if (request.stop && request.stop.length > 0) body['stop_sequences'] = request.stop;
  const tier = request.serviceTier === undefined ? undefined : SERVICE_TIERS[request.serviceTier];
  if (tier !== undefined) body['service_tier'] = tier;
  if (request.conversationId !== undefined) body['metadata'] = { user_id: request.conversationId };
  return body;
}

/** The provider caches tools before the system prompt, so one breakpoint at its end covers both. */
function prefix(request: LlmRequest, { model }: RequestContext, cacheControl: Json): Json {
  const tools = sentTools(request, model, ANTHROPIC_DIALECT).map(({ name, description, inputSchema, strict }) => ({
    name,
    ...(description.trim() !== '' && { description }),
    input_schema: inputSchema,
    ...(strict && { strict }),
  }));
  const system = request.system.trim() === '' ? [] : [{ type: 'text', text: request.system }];
  const last: Json | undefined = system.at(-1) ?? tools.at(-1);
  if (last) last['cache_control'] = cacheControl;
  return { ...(tools.length > 0 && { tools }), ...(system.length > 0 && { system }) };
}

/**
 * A budget for models that accept one, adaptive thinking for later ones, nothing if the open exchange started without
 * thinking. The engine replaces closed blocks by stubs. A `bound` model is therefore asked to drop the thinking after the
 * changed history instead of refusing the request ("Preserved thinking" in the API's documentation).
 */
function thinking(request: LlmRequest, { provider, model }: RequestContext): Json {
  if (model.thinking === 'bound') {
    const block_binding = { prefix_mismatch_behavior: 'drop_block' };
    return { thinking: { type: 'adaptive', display: 'summarized', block_binding } };
  }
  if (model.thinking === 'adaptive') {
    if (request.effort === undefined) return {};
    return { thinking: { type: request.effort === 'none' ? 'disabled' : 'adaptive' } };
  }
  const budget_tokens = budgetOf(request, model);
  if (budget_tokens === undefined || !thinkingMayRun(request.messages, provider, request.model)) return {};
  return { thinking: { type: 'enabled', budget_tokens } };
}

/** The effort, and the form of the answer. */
function outputConfig(request: LlmRequest, { model }: RequestContext): Json {
  const effort = sentEffort(request, model);
  const held = heldSchema(request, model);
  const written = held === null ? null : strictSchema(held.schema, ANTHROPIC_DIALECT);
  const schema = written !== null && 'schema' in written ? written.schema : null;
  if (effort === undefined && schema === null) return {};
  return { output_config: { ...(effort && { effort }), ...(schema && { format: { type: 'json_schema', schema } }) } };
}

function toolChoice(choice: NonNullable<LlmRequest['toolChoice']>): Json {
  return typeof choice === 'string' ? { type: choice } : { type: 'tool', name: choice.name };
}

/** Messages with roles alternating, no empty blocks, results first, and the last few breakpoints kept. */
function messages(request: LlmRequest, context: RequestContext, cacheControl: Json): Json[] {
  const mapped: { role: Message['role']; content: Json[]; marked: Json | null }[] = [];
  for (const message of withLegalCallIds(visibleMessages(request, context.model, ANTHROPIC_MEDIA), CALL_ID)) {
    const content = message.content.flatMap((block) => mapBlock(block, request.model, context));
    if (content.length === 0) continue;
    const marked = message.cacheBreakpoint ? (content.findLast(mayBeMarked) ?? null) : null;
    const previous = mapped.at(-1);
    if (previous?.role !== message.role) {
      mapped.push({ role: message.role, content, marked });
      continue;
    }
    previous.content.push(...content);
    previous.marked = marked ?? previous.marked;
  }
  for (const { marked } of mapped.filter(({ marked }) => marked).slice(-MESSAGE_BREAKPOINTS)) {
    if (marked) marked['cache_control'] = cacheControl;
  }
  return mapped.map(({ role, content }) => ({ role, content: role === 'user' ? resultsFirst(content) : content }));
}

function resultsFirst(content: readonly Json[]): Json[] {
  const isResult = (block: Json) => block['type'] === 'tool_result';
  return [...content.filter(isResult), ...content.filter((block) => !isResult(block))];
}

function mayBeMarked(block: Json): boolean {
  return block['type'] !== 'thinking' && block['type'] !== 'redacted_thinking';
}

function mapBlock(block: ContentBlock, model: string, context: RequestContext): Json[] {
  switch (block.type) {
    case 'text':
      return text(block);
    case 'image':
    case 'document':
      return [media(block)];
    case 'tool_call':
      return [{ type: 'tool_use', id: block.id, name: block.name, input: inputToSendBack(block) }];
    case 'tool_result':
      return [toolResult(block)];
    case 'thinking':
      // Without its signature (an answer cut inside it) a thinking block is refused.
      if (!ownsBlock(block, context.provider, model) || block.signature === undefined) return [];
      return [{ type: 'thinking', thinking: block.text, signature: block.signature }];
    case 'redacted_thinking':
      return ownsBlock(block, context.provider, model) ? [{ type: 'redacted_thinking', data: block.data }] : [];
    case 'opaque':
      // Copied, because a breakpoint may be set on it.
      return block.provider === context.provider ? [{ ...block.value }] : [];
    default:
      return block satisfies never;
  }
}

/** Empty and all-white texts are refused by the provider, so they are left out. */
function text({ text, citations }: TextBlock): Json[] {
  if (text.trim() === '') return [];
  return [{ type: 'text', text, ...(citations && citations.length > 0 && { citations }) }];
}

function media({ type, mediaType, data }: MediaBlock): Json {
  if (type === 'document' && mediaType.startsWith('text/')) {
    const plain = Buffer.from(data, 'base64').toString('utf8');
    return { type, source: { type: 'text', media_type: 'text/plain', data: plain } };
  }
  return { type, source: { type: 'base64', media_type: mediaType, data } };
}

function toolResult({ callId, content, isError }: ToolResultBlock): Json {
  const mapped = content.flatMap((part) => (part.type === 'text' ? text(part) : [media(part)]));
  // An error without content is refused.
  if (isError && mapped.length === 0) mapped.push({ type: 'text', text: '(failed without output)' });
  return {
    type: 'tool_result',
    tool_use_id: callId,
    ...(mapped.length > 0 && { content: mapped }),
    ...(isError && { is_error: true }),
  };
}
