import { estimateTokens } from '../../core/work/tokens.ts';
import type { LlmFailure } from '../client.ts';
import { exactUsd } from '../models/cost.ts';
import type { MaySend } from '../transport/fetch-json.ts';
import { type EmbeddingsCall, embedOnce } from './embed-once.ts';
import type { EmbeddingUsage, EmbedResult, Vector } from './embed-result.ts';
import { type BatchLimits, fitted, textBatches } from './text-batches.ts';

/** Turns texts into vectors. */
export interface Embedder {
  readonly provider: string;
  readonly model: string;
  /** `provider/model`: vectors of one name and one place can be compared with each other. */
  readonly name: string;
  /** Kind and address of the provider. */
  readonly place: string;
  readonly dimensions: number;
  /** How many of these texts, from the first on, one request takes; at least 1. */
  fits(texts: readonly string[]): number;
  /**
   * Sends one request after another. `maySend` is asked before each; false ends the call as an abort does. No texts: no request. Never rejects
   * because of the provider or an abort.
   */
  embed(texts: readonly string[], signal: AbortSignal, maySend?: MaySend): Promise<EmbedResult>;
  /** What texts may cost at most; `usd` is null without a price. */
  costAtMost(texts: readonly string[]): { readonly usd: number | null; readonly tokens: number };
  /** What tokens cost in USD; null without a price. */
  costUsd(usage: EmbeddingUsage): number | null;
}

/** The settings of an embedder. */
export interface PricedEmbeddings {
  readonly call: EmbeddingsCall;
  readonly limits: BatchLimits;
  /** Of the provider, as in `Embedder`. */
  readonly place: string;
  /** USD per million tokens; null: unknown. */
  readonly usdPerMillion: number | null;
}

/** A text may have more tokens than estimated: providers count by tokenizers of their own. */
const MARGIN = 1.5;
/** Of each text, for what the provider puts around it. */
const EXTRA_TOKENS = 8;

/** Creates an embedder; connects at the first call. */
export function createEmbedder({ call, limits, place, usdPerMillion }: PricedEmbeddings): Embedder {
  const { provider } = call.endpoint;
  const { model, dimensions } = call;
  const usdOf = (tokens: number) => (usdPerMillion === null ? null : exactUsd((tokens * usdPerMillion) / 1_000_000));
  return {
    provider,
    model,
    name: `${provider}/${model}`,
    place,
    dimensions,
    fits(texts) {
      const [first = []] = textBatches(texts, limits);
      return first.length;
    },
    async embed(texts, signal, maySend) {
      const vectors: Vector[] = [];
      const asked = { ...call, ...(maySend && { maySend }) };
      let usage: EmbeddingUsage = { inputTokens: 0, counted: true };
      for (const batch of textBatches(texts, limits)) {
        const result = await embedSmaller(batch, asked, signal);
        vectors.push(...result.vectors);
        usage = sum(usage, result.usage);
        if (!result.ok) return { ...result, vectors, usage };
      }
      return { ok: true, vectors, usage };
    },
    costAtMost(texts) {
      const estimate = texts.reduce((total, text) => total + estimateTokens(fitted(text, limits)) + EXTRA_TOKENS, 0);
      const tokens = Math.ceil(MARGIN * estimate);
      return { tokens, usd: usdOf(tokens) };
    },
    costUsd: ({ inputTokens }) => usdOf(inputTokens),
  };
}

/** How often a single text that is too long is halved. */
const MAX_CUTS = 5;

/**
 * One request; where the provider refuses it, its halves, so that one text stops only those after it. A single text that is too long
 * is cut: its vector is that of its beginning.
 */
async function embedSmaller(
  texts: readonly string[],
  call: EmbeddingsCall,
  signal: AbortSignal,
  cuts = 0,
): Promise<EmbedResult> {
  const result = await embedOnce(texts, call, signal);
  if (result.ok || !isAboutTexts(result.failure)) return result;
  const [only = ''] = texts;
  if (texts.length === 1) {
    const mayCut = result.failure.kind === 'context_overflow' && cuts < MAX_CUTS && only.length > 1;
    if (!mayCut) return { ...result, refused: true };
    return embedSmaller([only.slice(0, Math.ceil(only.length / 2)).toWellFormed()], call, signal, cuts + 1);
  }
  const middle = Math.ceil(texts.length / 2);
  const first = await embedSmaller(texts.slice(0, middle), call, signal);
  if (!first.ok) return first;
  const second = await embedSmaller(texts.slice(middle), call, signal);
  return { ...second, vectors: [...first.vectors, ...second.vectors], usage: sum(first.usage, second.usage) };
}

/** Whether other texts, or fewer, might have been accepted. */
function isAboutTexts({ kind }: LlmFailure): boolean {
  return kind === 'invalid_request' || kind === 'context_overflow' || kind === 'content_filter';
}

function sum(one: EmbeddingUsage, other: EmbeddingUsage): EmbeddingUsage {
  return { inputTokens: one.inputTokens + other.inputTokens, counted: one.counted && other.counted };
}
