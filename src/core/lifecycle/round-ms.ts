/** A length of time as it is recorded and shown: in milliseconds, with at most three decimals. */
export function roundMs(ms: number): number {
  return Math.round(ms * 1000) / 1000;
}
