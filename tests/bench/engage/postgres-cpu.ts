/** CPU time of the Postgres servers that this process started, from /proc: Linux only. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks in /proc are hundredths of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;

interface Stat {
  readonly pid: number;
  readonly parent: number;
  readonly ownMs: number;
  /** Of children that have ended. */
  readonly endedMs: number;
}

/** Milliseconds so far, of postmasters that are our children and of all their backends; 0 without /proc. */
export function postgresCpuMs(): number {
  const servers = allStats();
  const masters = servers.filter(({ parent }) => parent === process.pid);
  const pids = new Set(masters.map(({ pid }) => pid));
  const backends = servers.filter(({ parent }) => pids.has(parent));
  return [...masters.map(({ ownMs, endedMs }) => ownMs + endedMs), ...backends.map(({ ownMs }) => ownMs)].reduce(
    (sum, ms) => sum + ms,
    0,
  );
}

function allStats(): Stat[] {
  let names: string[] = [];
  try {
    names = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
  return names.flatMap((name) => {
    try {
      return statOf(Number(name), readFileSync(`/proc/${name}/stat`, 'utf8'));
    } catch {
      return []; // it has ended in the meantime
    }
  });
}

function statOf(pid: number, line: string): Stat[] {
  const end = line.lastIndexOf(')');
  if (line.slice(line.indexOf('(') + 1, end) !== 'postgres') return [];
  const fields = line
    .slice(end + 2)
    .split(' ')
    .map(Number);
  const ms = (first: number) => ((fields[first] ?? 0) + (fields[first + 1] ?? 0)) * MS_PER_TICK;
  return [{ pid, parent: fields[1] ?? 0, ownMs: ms(11), endedMs: ms(13) }];
}
