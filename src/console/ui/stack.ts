/** Sums for stacked charts. */

/** Each series with the sum of those before; null counts as nothing. */
export function stack(series: readonly (readonly (number | null)[])[]): number[][] {
  const sums: number[] = [];
  return series.map((values) => values.map((value, index) => (sums[index] = (sums[index] ?? 0) + (value ?? 0))));
}
