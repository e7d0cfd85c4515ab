/** How values of JSON are shown. */

/** What a value with parts has, in order; null: it is one without parts. */
export function partsOfValue(value: unknown): readonly (readonly [key: string, value: unknown])[] | null {
  if (Array.isArray(value)) return value.map((part, index) => [String(index), part] as const);
  return typeof value === 'object' && value !== null ? Object.entries(value) : null;
}

/** How many parts there are, without making a list of them; null: it has none. */
export function countOfParts(value: unknown): number | null {
  if (Array.isArray(value)) return value.length;
  return typeof value === 'object' && value !== null ? Object.keys(value).length : null;
}

/**
 * Which paths are open at first: the value itself and what it contains, level by level, until so many rows would be shown. A path is the keys joined by
 * `/`, each with `~1` for `/` (RFC 6901).
 */
export function firstOpen(value: unknown, mostRows: number): ReadonlySet<string> {
  const open = new Set<string>();
  let level: (readonly [string, unknown])[] = [['', value]];
  for (let rows = 1; level.length > 0; ) {
    const next: (readonly [string, unknown])[] = [];
    for (const [path, one] of level) {
      const count = countOfParts(one);
      if (count === null || rows + count > mostRows) continue;
      rows += count;
      open.add(path);
      for (const [key, part] of partsOfValue(one) ?? []) next.push([pathTo(path, key), part]);
    }
    level = next;
  }
  return open;
}

export function pathTo(path: string, key: string): string {
  return `${path}/${key.replaceAll('~', '~0').replaceAll('/', '~1')}`;
}
