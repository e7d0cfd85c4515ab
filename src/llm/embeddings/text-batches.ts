import { estimateTokens } from '../../core/work/tokens.ts';

/** Bounds of the requests of an embedder. */
export interface BatchLimits {
  /** Texts of a request. */
  readonly texts: number;
  /** Estimated tokens of a request; a longer single text is a request of its own. */
  readonly tokens: number;
  /** Tokens of one text; null: as many as it has. */
  readonly tokensOfText: number | null;
}

/** The texts in their order, each `fitted`, in batches within the limits. */
export function* textBatches(texts: readonly string[], limits: BatchLimits): Generator<readonly string[]> {
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts.map((each) => fitted(each, limits))) {
    const size = estimateTokens(text);
    if (batch.length > 0 && (batch.length >= limits.texts || tokens + size > limits.tokens)) {
      yield batch;
      batch = [];
      tokens = 0;
    }
    batch.push(text);
    tokens += size;
  }
  if (batch.length > 0) yield batch;
}

/** The text, or the beginning of one that is longer than the model takes. Servers refuse an empty text, but not a space. */
export function fitted(text: string, { tokensOfText }: BatchLimits): string {
  const tokens = tokensOfText === null ? 0 : estimateTokens(text);
  if (tokensOfText === null || tokens <= tokensOfText) return text === '' ? ' ' : text;
  return text.slice(0, Math.max(1, Math.floor((text.length * tokensOfText) / tokens))).toWellFormed();
}
