/** What a call of an embedder has cost, for the database. */
import type { EmbedResult } from '../../llm/embeddings/embed-result.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';
import type { PaidEmbedding } from '../../store/work/embedding-turns.ts';

/** The sum of the calls; `lost` if one of them returned nothing and may have been charged. */
export function paidEmbedding(embedder: Embedder, results: readonly EmbedResult[]): PaidEmbedding {
  const { provider, model } = embedder;
  const usages = results.map(({ usage }) => usage);
  const inputTokens = usages.reduce((sum, usage) => sum + usage.inputTokens, 0);
  const counted = usages.every((usage) => usage.counted);
  return {
    provider,
    model,
    tokens: inputTokens,
    costUsd: embedder.costUsd({ inputTokens, counted }),
    ...(!counted && { estimated: true }),
    ...(results.some((result) => !result.ok && result.failure.lost > 0) && { lost: true }),
  };
}
