/** Rows that keep their order while somebody is about to click on one. */

export interface Steady<Row> {
  readonly rows: readonly Row[];
  /** Rows that are not shown yet. */
  readonly pending: number;
}

/** The rows that were shown, in their order and as they are now: those that are gone stay as they were, and new ones wait. */
export function keepOrder<Row>(
  shown: readonly Row[],
  newest: readonly Row[],
  keyOf: (row: Row) => string,
): Steady<Row> {
  const now = new Map(newest.map((row) => [keyOf(row), row]));
  const keys = new Set(shown.map(keyOf));
  return {
    rows: shown.map((row) => now.get(keyOf(row)) ?? row),
    pending: newest.filter((row) => !keys.has(keyOf(row))).length,
  };
}
