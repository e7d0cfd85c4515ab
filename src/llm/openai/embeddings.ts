import { estimateTokens } from '../../core/work/tokens.ts';
import type { LlmFailure } from '../client.ts';
import { fetchJson } from '../transport/fetch-json.ts';
import type { Endpoint, HttpShared } from '../transport/retries.ts';
import { fault, toFailure } from '../wire/fault.ts';
import { asArray, asNumber, asObject } from '../wire/loose-json.ts';
import { tokenCount } from '../wire/token-counts.ts';
import { openaiFault } from './errors.ts';

/** The settings of an embedder. */
export interface EmbedderSettings {
  readonly model: string;
  /** Requested and checked; null accepts any number, the same for all vectors. */
  readonly dimensions: number | null;
  /** Texts per request. Default 96; most servers accept 100 or more. */
  readonly batchSize?: number;
  /** Estimated tokens per request. Default 100,000; OpenAI accepts 300,000. */
  readonly batchTokens?: number;
}

/** Vectors in the order of the texts, or the failure. If one batch fails, the call fails. */
type EmbedResult =
  | { readonly ok: true; readonly vectors: readonly (readonly number[])[]; readonly tokens: number }
  | { readonly ok: false; readonly failure: LlmFailure };

/** Computes vectors of texts. */
export interface Embedder {
  readonly model: string;
  /** `tokens` is the provider's count, else an estimate. An empty list makes no request. */
  embed(texts: readonly string[], signal: AbortSignal): Promise<EmbedResult>;
}

/** An embedder for an OpenAI-compatible endpoint (POST /embeddings); sends one batch after another. */
export function openaiEmbedder(settings: EmbedderSettings, endpoint: Endpoint, shared: HttpShared): Embedder {
  return {
    model: settings.model,
    async embed(texts, signal) {
      const vectors: (readonly number[])[] = [];
      let tokens = 0;
      for (const batch of batches(texts, settings)) {
        const result = await embedBatch(batch, settings, endpoint, shared, signal);
        if (!result.ok) return result;
        vectors.push(...result.vectors);
        tokens += result.tokens;
      }
      return { ok: true, vectors, tokens };
    },
  };
}

async function embedBatch(
  texts: readonly string[],
  { model, dimensions }: EmbedderSettings,
  endpoint: Endpoint,
  shared: HttpShared,
  signal: AbortSignal,
): Promise<EmbedResult> {
  const result = await fetchJson({
    endpoint,
    shared,
    signal,
    model,
    method: 'POST',
    path: '/embeddings',
    headers: (key): Record<string, string> => (key === null ? {} : { authorization: `Bearer ${key}` }),
    // Servers refuse an empty text, but not a space.
    body: { model, input: texts.map((text) => text || ' '), ...(dimensions !== null && { dimensions }) },
    classify: openaiFault,
  });
  if (!result.ok) return result;
  const vectors = readVectors(result.value, texts.length, dimensions);
  if (typeof vectors === 'string') {
    const from = { provider: endpoint.provider, model, attempts: 1 };
    return { ok: false, failure: toFailure(fault('protocol', vectors), from, (text) => text) };
  }
  const counted = tokenCount(asObject(asObject(result.value)?.['usage'])?.['total_tokens']);
  return { ok: true, vectors, tokens: counted ?? texts.reduce((sum, text) => sum + estimateTokens(text), 0) };
}

/** The vectors in order, or a problem. Servers may answer out of order: `index` is the position. */
function readVectors(
  value: unknown,
  count: number,
  dimensions: number | null,
): readonly (readonly number[])[] | string {
  const vectors: (readonly number[] | undefined)[] = Array.from({ length: count });
  for (const [at, each] of asArray(asObject(value)?.['data']).entries()) {
    const item = asObject(each);
    const vector = decode(item?.['embedding']);
    if (!vector) return `embedding ${at} is neither a list of numbers nor base64`;
    vectors[asNumber(item?.['index']) ?? at] = vector;
  }
  const width = dimensions ?? vectors[0]?.length ?? 0;
  for (let at = 0; at < count; at += 1) {
    const vector = vectors[at];
    if (!vector) return `the response has no vector for text ${at + 1} of ${count}`;
    if (vector.length !== width) return `expected vectors of ${width} dimensions, got ${vector.length}`;
  }
  return vectors.length === count
    ? (vectors as (readonly number[])[])
    : `got ${vectors.length} vectors for ${count} texts`;
}

/** Decodes numbers, or little-endian 32-bit floats in base64. */
function decode(embedding: unknown): readonly number[] | null {
  if (Array.isArray(embedding)) return embedding.every((n) => asNumber(n) !== null) ? (embedding as number[]) : null;
  if (typeof embedding !== 'string') return null;
  const bytes = Buffer.from(embedding, 'base64');
  const floats = Array.from({ length: Math.floor(bytes.length / 4) }, (_, at) => bytes.readFloatLE(at * 4));
  return floats.every(Number.isFinite) ? floats : null;
}

function* batches(texts: readonly string[], settings: EmbedderSettings): Generator<readonly string[]> {
  const { batchSize = 96, batchTokens = 100_000 } = settings;
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const size = estimateTokens(text);
    if (batch.length > 0 && (batch.length >= batchSize || tokens + size > batchTokens)) {
      yield batch;
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += size;
  }
  if (batch.length > 0) yield batch;
}
