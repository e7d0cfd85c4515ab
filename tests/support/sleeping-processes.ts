import { readdirSync, readFileSync } from 'node:fs';

/** Number of `sleep` processes on this machine with this `length`, which no one else should use. Linux. */
export function sleepingProcesses(length: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0]!.endsWith('sleep') && words.includes(length);
    } catch {
      return false; // it ended in the meantime
    }
  }).length;
}
