/** Bounds of the requests of an embedder. */
export interface BatchLimits {
  /** Texts of a request. */
  readonly texts: number;
  /** Estimated tokens of a request; a longer single text is a request of its own. */
  readonly tokens: number;
  /** Tokens of one text; null: as many as it has. */
  readonly tokensOfText: number | null;
  /** Estimates the tokens of a text. */
  readonly tokensOf: (text: string) => number;
}

/** The texts in their order, in batches within the limits. */
export function* textBatches(texts: readonly string[], limits: BatchLimits): Generator<readonly string[]> {
  let batch: string[] = [];
  let tokens = 0;
  for (const text of texts) {
    const size = limits.tokensOf(text);
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
export function fitted(text: string, { tokensOfText, tokensOf }: BatchLimits): string {
  const tokens = tokensOfText === null ? 0 : tokensOf(text);
  if (tokensOfText === null || tokens <= tokensOfText) return text === '' ? ' ' : text;
  return text.slice(0, Math.max(1, Math.floor((text.length * tokensOfText) / tokens))).toWellFormed();
}
