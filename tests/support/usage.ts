import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Usage {
  /** Resident memory, with garbage. */
  readonly bytes: number;
  /** What is in use: objects and buffers after a garbage collection. */
  readonly heldBytes: number;
  /** Processor time so far, of all its threads, without these collections. */
  readonly cpuMs: number;
}

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;
let collectingMs = 0;

/** Of this process. */
export function usage(): Usage {
  const bytes = process.memoryUsage.rss();
  const cpuMs = totalMs();
  collectGarbage();
  const { heapUsed, external } = process.memoryUsage();
  const used = { bytes, heldBytes: heapUsed + external, cpuMs: cpuMs - collectingMs };
  collectingMs += totalMs() - cpuMs;
  return used;
}

function totalMs(): number {
  const { user, system } = process.cpuUsage();
  return (user + system) / 1000;
}
