/** Finds processes by a token in their command line or environment, and waits until there are none. */
import { readdirSync, readFileSync } from 'node:fs';
import { setTimeout as sleep } from 'node:timers/promises';

/** Pids of live processes, other than this one, that carry the token. Linux only. */
export function processesWith(token: string): readonly number[] {
  return readdirSync('/proc')
    .map(Number)
    .filter((pid) => Number.isInteger(pid) && pid !== process.pid && isAlive(pid) && carries(pid, token));
}

/** Resolves when `condition` is true; after `limitMs`, rejects with its last value. */
export async function eventually<T>(look: () => T, holds: (seen: T) => boolean, limitMs = 10_000): Promise<T> {
  const startedAt = performance.now();
  for (;;) {
    const seen = look();
    if (holds(seen)) return seen;
    if (performance.now() - startedAt > limitMs) throw new Error(`still ${JSON.stringify(seen)} after ${limitMs} ms`);
    await sleep(20);
  }
}

export function isAlive(pid: number): boolean {
  const stat = read(`/proc/${pid}/stat`);
  return stat !== '' && !['Z', 'X'].includes(stat.slice(stat.lastIndexOf(')') + 2)[0] ?? '');
}

function carries(pid: number, token: string): boolean {
  return read(`/proc/${pid}/cmdline`).includes(token) || read(`/proc/${pid}/environ`).includes(token);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}
