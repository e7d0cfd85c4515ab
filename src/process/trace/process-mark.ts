/** Names of processes that stay unique: a daemon on the same host can tell whether the process of a label is alive. */
import { readFileSync, readlinkSync } from 'node:fs';
import { isAlive, startTicksOf } from './process-table.ts';

/** `boot/pid-namespace/pid/start`. Empty where the host has no /proc. */
export function processMark(pid: number): string {
  const here = placeOf();
  return here === null ? '' : `${here}/${pid}/${startTicksOf(pid)}`;
}

/** Whether the process that a mark names lives; null if that cannot be judged from here: it is elsewhere, or hidden. */
export function livesOf(mark: string): boolean | null {
  const here = placeOf();
  if (here === null || !mark.startsWith(`${here}/`)) return null;
  const [pid = 0, ticks = 0] = mark
    .slice(here.length + 1)
    .split('/')
    .map(Number);
  return pid > 0 ? isAlive(pid, ticks) : null;
}

/** Processes of another boot or pid namespace cannot be seen. */
function placeOf(): string | null {
  try {
    const boot = readFileSync('/proc/sys/kernel/random/boot_id', 'utf8').trim();
    return `${boot}/${pidNamespace()}`;
  } catch {
    return null;
  }
}

/** The number of this process's PID namespace. Throws where the host has no /proc. */
export function pidNamespace(): string {
  return /\d+/.exec(readlinkSync('/proc/self/ns/pid'))?.[0] ?? '0';
}
