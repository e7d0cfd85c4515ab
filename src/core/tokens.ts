/** A cheap upper-ish estimate of how many tokens a text takes: 3.5 UTF-8 bytes each, which real tokenizers of English and code stay below. */
export function estimateTokens(text: string): number {
  return Math.ceil(Buffer.byteLength(text) / 3.5);
}
