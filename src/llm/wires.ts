/** The wires, and which of them a model speaks. */
import type { HttpProviderKind, WireChoice } from '../core/config/providers/provider.ts';
import { ANTHROPIC_MEDIA } from './anthropic/request.ts';
import { anthropicOptions, anthropicWire } from './anthropic/wire.ts';
import type { MediaBlock } from './client.ts';
import type { LocatedModel } from './locate-model.ts';
import { type MediaRules, SCALED_IMAGES, wordsInPlace } from './media/visible-media.ts';
import { ollamaOptions, ollamaWire } from './ollama/wire.ts';
import { openaiOptions, openaiWire } from './openai/wire.ts';
import { isClaude } from './providers/vertex.ts';
import { responsesOptions, responsesWire } from './responses/wire.ts';
import type { OptionRules } from './wire/option-rules.ts';
import type { Wire, WireOptions } from './wire/wire.ts';

/** A wire format: one entry per message format, not per kind of provider. */
export type WireName = 'anthropic-messages' | 'openai-chat' | 'openai-responses' | 'ollama-chat';

interface WireEntry {
  readonly open: (options: WireOptions) => Wire;
  readonly options: OptionRules;
  readonly media: MediaRules;
}

export const WIRES: Readonly<Record<WireName, WireEntry>> = {
  'anthropic-messages': { open: anthropicWire, options: anthropicOptions, media: ANTHROPIC_MEDIA },
  'openai-chat': { open: openaiWire, options: openaiOptions, media: SCALED_IMAGES },
  'openai-responses': { open: responsesWire, options: responsesOptions, media: SCALED_IMAGES },
  'ollama-chat': { open: ollamaWire, options: ollamaOptions, media: SCALED_IMAGES },
};

/** The wire of each kind, and of each choice at kinds that have one. */
const WIRES_OF: Readonly<Record<HttpProviderKind, Readonly<Record<WireChoice | 'own', WireName>>>> = {
  anthropic: { own: 'anthropic-messages', chat: 'anthropic-messages', responses: 'anthropic-messages' },
  openai: { own: 'openai-chat', chat: 'openai-chat', responses: 'openai-responses' },
  azure: { own: 'openai-chat', chat: 'openai-chat', responses: 'openai-responses' },
  bedrock: { own: 'anthropic-messages', chat: 'anthropic-messages', responses: 'anthropic-messages' },
  vertex: { own: 'openai-chat', chat: 'openai-chat', responses: 'openai-chat' },
  ollama: { own: 'ollama-chat', chat: 'ollama-chat', responses: 'ollama-chat' },
};

/** The wire of a model: the chosen one where its provider's kind has a choice, else the kind's own; Vertex serves Claude with another. */
export function wireOf(kind: HttpProviderKind, choice: WireChoice | null, model = ''): WireName {
  if (kind === 'vertex' && isClaude(model)) return 'anthropic-messages';
  return WIRES_OF[kind][choice ?? 'own'];
}

/** The words that a request to this model has in place of an image or document; null if it is sent. A script is sent everything. */
export function wordsInRequest({ kind, model, info }: LocatedModel, media: MediaBlock): string | null {
  return kind === 'scripted' ? null : wordsInPlace(media, model, info, WIRES[wireOf(kind, info.wire, model)].media);
}
