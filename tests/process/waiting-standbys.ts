/** Finds the standbys that wait for a command of this process; Linux only. */
import { readFileSync } from 'node:fs';
import { WAITS } from '../../src/process/runners/orders.ts';
import { eventually } from './live-processes.ts';

/** The pids of their leaders. Supervisors are children of this process. */
export function waitingStandbys(): readonly number[] {
  return childrenOf(process.pid).flatMap(childrenOf).filter(isWaiting);
}

/** Resolves when there is one more that is not among `known`, with its pid. */
export async function nextStandby(known: readonly number[] = []): Promise<number> {
  const look = () => waitingStandbys().filter((pid) => !known.includes(pid));
  const [pid] = await eventually(look, (pids) => pids.length > 0);
  return pid!;
}

/** The leader is `unshare`, its child the first process of the namespace, and the child of that one the shell at the gate. */
function isWaiting(leader: number): boolean {
  return childrenOf(leader)
    .flatMap(childrenOf)
    .some((pid) => read(`/proc/${pid}/cmdline`).split('\0')[2]?.startsWith(`printf ${WAITS} `));
}

export function childrenOf(pid: number): readonly number[] {
  return read(`/proc/${pid}/task/${pid}/children`).split(' ').filter(Boolean).map(Number);
}

function read(path: string): string {
  try {
    return readFileSync(path, 'latin1');
  } catch {
    return '';
  }
}

/** The shell at the gate of a standby. */
export function shellOf(leader: number): number | undefined {
  return childrenOf(leader).flatMap(childrenOf)[0];
}
