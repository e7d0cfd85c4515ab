/** The rows of the table of metrics, and the bounds of histograms that the SDK's do not fit. */

/** A metric. */
export interface MetricRow {
  readonly kind: 'counter' | 'histogram' | 'gauge';
  /** UCUM: ms, s, By, {item} … */
  readonly unit: string;
  readonly description: string;
  /** Low cardinality only: names from configuration, and closed sets. */
  readonly labels: readonly string[];
  /** Upper bounds of a histogram's buckets, if the SDK's (0 to 10,000) do not fit. */
  readonly buckets?: readonly number[];
}

export const LONG_MS = [100, 500, 1_000, 5_000, 15_000, 60_000, 300_000, 900_000, 3_600_000, 14_400_000] as const;
export const HOOK_MS = [5, 10, 20, 50, 100, 200, 500, 1_000, 5_000, 30_000, 120_000] as const;
export const DIGEST_MS = [0.5, 1, 2, 5, 10, 20, 50, 100, 200, 500, 1_000, 5_000] as const;
export const CALL_S = [0.01, 0.02, 0.04, 0.08, 0.16, 0.32, 0.64, 1.28, 2.56, 5.12, 10.24, 20.48, 40.96, 81.92] as const;
export const WAIT_S = [1, 5, 15, 60, 300, 900, 3600, 14_400, 86_400] as const;
/** A provider has up to a day for a batch. */
export const BATCH_S = [60, 300, 900, 1800, 3600, 7200, 14_400, 28_800, 57_600, 86_400, 115_200] as const;
export const TOKENS = [1, 4, 16, 64, 256, 1024, 4096, 16_384, 65_536, 262_144, 1_048_576, 4_194_304] as const;
export const TURNS = [1, 2, 3, 5, 8, 13, 21, 34, 55, 100] as const;
export const CALLS = [1, 2, 3, 4, 6, 8, 12, 16] as const;
export const SHARE = [0, 0.1, 0.25, 0.5, 0.75, 0.9, 0.95, 0.99, 1] as const;

/** A counter: it only grows. */
export function counter<const L extends readonly string[]>(unit: string, description: string, labels: L) {
  return { kind: 'counter' as const, unit, description, labels };
}

/** A gauge: the value of now. */
export function gauge<const L extends readonly string[]>(unit: string, description: string, labels: L) {
  return { kind: 'gauge' as const, unit, description, labels };
}

/** A histogram; without `buckets` the SDK's bounds. */
export function histogram<const L extends readonly string[]>(
  unit: string,
  description: string,
  labels: L,
  buckets?: readonly number[],
) {
  return { kind: 'histogram' as const, unit, description, labels, ...(buckets && { buckets }) };
}
