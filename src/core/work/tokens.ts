/** Bytes of UTF-8 that a token stands for at least, in the estimates. */
export const BYTES_PER_TOKEN = 3.5;

/** A cheap upper-ish estimate of how many tokens a text takes: 3.5 UTF-8 bytes each, which real tokenizers of English and code stay below. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / BYTES_PER_TOKEN);
}
