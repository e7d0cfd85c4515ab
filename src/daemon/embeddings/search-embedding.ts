/** The embedding of what a person searches for, which no work pays for. */
import { within } from '../../core/lifecycle/within.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import type { QueryEmbedding } from '../../store/memory/search-memories.ts';
import type { PaidEmbedding } from '../../store/work/embedding-turns.ts';
import type { EmbeddingModel } from './embedding-model.ts';
import { type KnownVectors, knownVectors } from './known-vectors.ts';
import { paidEmbedding } from './paid-embedding.ts';

/** The model, for the searches of many people. */
export interface SearchEmbeddings extends EmbeddingModel {
  readonly known: KnownVectors;
}

/** The same model, which remembers the last searches; null: none is configured. */
export function searchEmbeddings({
  embedder,
  explain,
}: Pick<EmbeddingModel, 'explain'> & { readonly embedder: Embedder | null }): SearchEmbeddings | null {
  return embedder && { embedder, explain, known: knownVectors() };
}

/** A vector, or why there is none, for people. */
export type SearchVector = QueryEmbedding | { readonly missing: string };

export const NO_MODEL = 'no embedding model is configured ([embeddings] in animus.toml)';

/** A person waits: a search by words alone is better than a late one. */
const PATIENCE_MS = 4000;

/** Asks for it, for 4 s at most, and charges what it has cost. Rejects only if `charge` does. */
export async function embedSearch(
  { embedder, explain }: EmbeddingModel,
  text: string,
  ended: AbortSignal,
  charge: (paid: PaidEmbedding) => Promise<void>,
): Promise<SearchVector> {
  const signal = within(PATIENCE_MS, ended);
  const result = await embedder.embed([text], signal);
  const paid = paidEmbedding(embedder, [result]);
  if (paid.tokens > 0) await charge(paid);
  if (result.ok) return { model: embedder.name, vector: result.vectors[0]! };
  if (!signal.aborted) return { missing: explain(result.failure) };
  return { missing: `provider ${embedder.provider} returned no embedding within ${PATIENCE_MS / 1000} s` };
}
