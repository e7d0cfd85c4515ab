import type { LlmFailure } from '../../llm/client.ts';
import type { Embedder } from '../../llm/embeddings/embedder.ts';

/** The model of `[embeddings]`. */
export interface EmbeddingModel {
  readonly embedder: Embedder;
  /** One line for people: which provider failed, how, and the remedy. */
  readonly explain: (failure: LlmFailure) => string;
}
