/** The wires, and which of them a model speaks at each kind of provider. */
import type { HttpProviderKind, WireChoice } from '../core/config/providers/provider.ts';
import { ANTHROPIC_MEDIA } from './anthropic/request.ts';
import { anthropicOptions, anthropicWire } from './anthropic/wire.ts';
import type { MediaBlock } from './client.ts';
import type { LocatedModel } from './locate-model.ts';
import { type MediaRules, SCALED_IMAGES, wordsInPlace } from './media/visible-media.ts';
import { ollamaOptions, ollamaWire } from './ollama/wire.ts';
import { openaiOptions, openaiWire } from './openai/wire.ts';
import type { HttpProviderSettings } from './provider-settings.ts';
import { azureWire } from './providers/azure.ts';
import { bedrockWire } from './providers/bedrock.ts';
import { isClaude, vertexChatWire, vertexClaudeWire } from './providers/vertex.ts';
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

interface KindEntry {
  /** The wire of its models, and that of each choice where there is one. */
  readonly wires: Readonly<Record<WireChoice | 'own', WireName>>;
  /** A wire with its paths and bodies; default: as the wire is. */
  readonly adapt?: (wire: Wire, name: WireName, settings: HttpProviderSettings) => Wire;
}

const always = (own: WireName) => ({ own, chat: own, responses: own });
const OPENAI_WIRES = { own: 'openai-chat', chat: 'openai-chat', responses: 'openai-responses' } as const;

const KINDS: Readonly<Record<HttpProviderKind, KindEntry>> = {
  anthropic: { wires: always('anthropic-messages') },
  openai: { wires: OPENAI_WIRES },
  azure: {
    wires: OPENAI_WIRES,
    adapt: (wire, _, { baseUrl, cloud }) =>
      azureWire(wire, { baseUrl: new URL(baseUrl), apiVersion: cloud?.apiVersion ?? null }),
  },
  bedrock: { wires: always('anthropic-messages'), adapt: bedrockWire },
  vertex: {
    wires: always('openai-chat'),
    adapt(wire, name, { cloud }) {
      const place = { project: cloud?.project ?? '', location: cloud?.location ?? '' };
      return name === 'anthropic-messages' ? vertexClaudeWire(wire, place) : vertexChatWire(wire, place);
    },
  },
  ollama: { wires: always('ollama-chat') },
};

/** The wire of a model: the chosen one where its provider's kind has a choice, else the kind's own; Vertex serves Claude with another. */
export function wireOf(kind: HttpProviderKind, choice: WireChoice | null, model = ''): WireName {
  if (kind === 'vertex' && isClaude(model)) return 'anthropic-messages';
  return KINDS[kind].wires[choice ?? 'own'];
}

/** A wire with the paths and bodies of a kind of provider. */
export function ofKind(wire: Wire, name: WireName, settings: HttpProviderSettings): Wire {
  return KINDS[settings.kind].adapt?.(wire, name, settings) ?? wire;
}

/** The words that a request to this model has in place of an image or document; null if it is sent. A script is sent everything. */
export function wordsInRequest({ kind, model, info }: LocatedModel, media: MediaBlock): string | null {
  return kind === 'scripted' ? null : wordsInPlace(media, model, info, WIRES[wireOf(kind, info.wire, model)].media);
}
