/** The committed table of counts, and how counted values are compared with it. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Case → measure → what was counted; texts are lists, such as that of packages. */
export type Counts = Readonly<Record<string, Readonly<Record<string, number | string>>>>;

const FILE = join(import.meta.dirname, 'counts.json');

/** Set by `npm run counts -- --write`. */
export const WRITE_VARIABLE = 'ANIMUS_COUNTS_WRITE';

/** By how much of its value a measure may differ; every other one is exact. */
const TOLERANCES: Readonly<Record<string, number>> = {
  // They depend on what other tests have done to caches, hint bits and free space: this only finds a plan that reads far more.
  buffers: 0.5,
  walBytes: 0.05,
  modules: 0.05,
  allocatedKB: 0.1,
  bytes: 0.01,
  messages: 0.05, // how long ago the item was inserted is said in it
};

export function readTable(): Counts {
  return JSON.parse(readFileSync(FILE, 'utf8')) as Counts;
}

/** Replaces the table. What stays within its tolerance keeps its value, so that a change shows only what changed. */
export function writeTable(counted: Counts, before: Counts): void {
  const rows = Object.entries(counted).map(([name, measures]) => {
    const kept = Object.entries(measures).map(([measure, value]) => {
      const old = before[name]?.[measure];
      return [measure, old !== undefined && isSame(measure, old, value) ? old : value] as const;
    });
    return [name, Object.fromEntries(kept)] as const;
  });
  writeFileSync(FILE, `${JSON.stringify(Object.fromEntries(rows), null, 2)}\n`);
}

/** One line for each value that differs from the table; empty if none does. */
export function differences(table: Counts, counted: Counts): string[] {
  return Object.entries(counted).flatMap(([name, measures]) => {
    const row = table[name] ?? {};
    return [...new Set([...Object.keys(row), ...Object.keys(measures)])].flatMap((measure) => {
      const [said, now] = [row[measure], measures[measure]];
      if (said !== undefined && now !== undefined && isSame(measure, said, now)) return [];
      return [
        `${name}, ${measure}: ${now ?? 'not counted'}, the table says ${said ?? 'nothing'}${byHowMuch(said, now)}`,
      ];
    });
  });
}

function isSame(measure: string, said: number | string, now: number | string): boolean {
  if (typeof said === 'string' || typeof now === 'string') return said === now;
  return Math.abs(now - said) <= Math.abs(said) * (TOLERANCES[measure] ?? 0);
}

function byHowMuch(said: number | string | undefined, now: number | string | undefined): string {
  if (typeof said !== 'number' || typeof now !== 'number') return '';
  const share = said === 0 ? '' : ` (${now > said ? '+' : ''}${(((now - said) / said) * 100).toFixed(1)} %)`;
  return now > said ? `: more${share}` : `: less${share}, so the table is no longer true`;
}
