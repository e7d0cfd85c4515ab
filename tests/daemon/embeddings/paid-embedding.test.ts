import { expect, test } from 'vitest';
import { paidEmbedding } from '../../../src/daemon/embeddings/paid-embedding.ts';
import type { EmbedResult } from '../../../src/llm/embeddings/embed-result.ts';
import type { Embedder } from '../../../src/llm/embeddings/embedder.ts';

const EMBEDDER = { provider: 'p', model: 'm', costUsd: () => 0.5 } as unknown as Embedder;
const of = (...counted: readonly boolean[]): readonly EmbedResult[] =>
  counted.map((one) => ({ ok: true, vectors: [], usage: { inputTokens: 10, counted: one } }));

test('what embeddings have cost is an estimate if the provider did not count all of their tokens', () => {
  const counted = { provider: 'p', model: 'm', tokens: 20, costUsd: 0.5 };
  expect(paidEmbedding(EMBEDDER, of(true, true))).toEqual(counted);
  expect(paidEmbedding(EMBEDDER, of(true, false))).toEqual({ ...counted, estimated: true });
});
