/** Bytes of UTF-8 per token in estimates; real tokens have at least as many. */
export const BYTES_PER_TOKEN = 3.5;

/** Estimates the tokens of a text at 3.5 UTF-8 bytes each. Real tokenizers need fewer tokens for English and code. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
