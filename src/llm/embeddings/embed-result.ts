import type { LlmFailure } from '../client.ts';

/** Tokens that were paid for; `counted`: as the provider says, otherwise estimated. */
export interface EmbeddingUsage {
  readonly inputTokens: number;
  readonly counted: boolean;
}

/**
 * Vectors in the order of the texts. If a request fails, `vectors` are those of the texts before it, and `refused` says that the
 * provider refuses the next text itself, so that only another text can succeed.
 */
export type EmbedResult =
  | { readonly ok: true; readonly vectors: readonly Vector[]; readonly usage: EmbeddingUsage }
  | {
      readonly ok: false;
      readonly failure: LlmFailure;
      readonly refused: boolean;
      readonly vectors: readonly Vector[];
      readonly usage: EmbeddingUsage;
    };

/** Finite numbers within the range of 32-bit floats, not all zero. */
export type Vector = readonly number[];
