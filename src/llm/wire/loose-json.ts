/** Reads JSON of unknown shape: providers add fields, send null for missing values, and numbers as strings. */

/** A JSON object before anything is known about its fields. */
export type Loose = Readonly<Record<string, unknown>>;

/** The value if it is a JSON object, else null. */
export function asObject(value: unknown): Loose | null {
  return typeof value === 'object' && value !== null && !Array.isArray(value) ? (value as Loose) : null;
}

/** The value if it is a string, else null. */
export function asString(value: unknown): string | null {
  return typeof value === 'string' ? value : null;
}

/** The value if it is a finite number, else null. */
export function asNumber(value: unknown): number | null {
  return typeof value === 'number' && Number.isFinite(value) ? value : null;
}

/** The value if it is an array, else an empty array. */
export function asArray(value: unknown): readonly unknown[] {
  return Array.isArray(value) ? value : [];
}

/** The parsed text, or undefined if it is not JSON (`null` is JSON). */
export function parseJson(text: string): unknown {
  try {
    return JSON.parse(text) as unknown;
  } catch {
    return undefined;
  }
}

/** True if objects and arrays are nested more than `levels` deep. Not recursive, because it must survive any depth. */
export function isDeeperThan(value: unknown, levels: number): boolean {
  let layer = [value];
  for (let level = 0; level <= levels; level++) {
    layer = layer.flatMap((each) => (typeof each === 'object' && each !== null ? Object.values(each) : []));
    if (layer.length === 0) return false;
  }
  return true;
}
