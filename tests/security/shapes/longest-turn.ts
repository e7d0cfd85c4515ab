/** Measures how long one thread does nothing else, and what its process needs meanwhile. */
import { readFileSync, writeFileSync } from 'node:fs';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';

export interface Cost {
  /** The maximum processor time of this thread between two turns of the event loop; time used by other processes does not count. */
  readonly longestMs: number;
  /** How much more memory the process had at its peak than before, in MiB; 0 where the system does not tell. */
  readonly peakMib: number;
}

/** Does the work and looks at the clock in each turn of the event loop. */
export async function longestTurn(work: () => Promise<unknown>): Promise<Cost> {
  let longest = 0;
  let before = cpuMs();
  const look = () => {
    const now = cpuMs();
    longest = Math.max(longest, now - before);
    before = now;
  };
  const timer = setInterval(look, 1);
  await new Promise((resolve) => setTimeout(resolve, 5));
  const memory = beginPeak();
  before = cpuMs();
  longest = 0;
  await work();
  look();
  clearInterval(timer);
  return { longestMs: longest, peakMib: Math.max(0, memory()) };
}

function cpuMs(): number {
  const { user, system } = process.threadCpuUsage();
  return (user + system) / 1000;
}

/** What was made before is not to be paid now. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc');
  runInNewContext('gc')();
}

/** Linux forgets the peak of a process on request (proc(5), clear_refs). */
function beginPeak(): () => number {
  if (process.platform !== 'linux') return () => 0;
  collectGarbage();
  try {
    writeFileSync('/proc/self/clear_refs', '5');
  } catch {
    return () => 0;
  }
  const peakMib = () => Number(/VmHWM:\s+(\d+)/.exec(readFileSync('/proc/self/status', 'utf8'))?.[1] ?? 0) / 1024;
  const start = peakMib();
  return () => peakMib() - start;
}
