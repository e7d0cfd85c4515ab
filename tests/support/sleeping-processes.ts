import { readdirSync, readFileSync } from 'node:fs';

/** How many `sleep` processes of this machine were told to sleep for `length`: a length that nobody else uses. Linux. */
export function sleepingProcesses(length: string): number {
  return readdirSync('/proc').filter((pid) => {
    if (!/^\d+$/.test(pid)) return false;
    try {
      const words = readFileSync(`/proc/${pid}/cmdline`, 'utf8').split('\0');
      return words[0]!.endsWith('sleep') && words.includes(length);
    } catch {
      return false; // it ended while we looked
    }
  }).length;
}
