import { readFileSync } from 'node:fs';

/** Clock ticks of /proc are hundredths of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** Processor time of a process so far, of all its threads, in milliseconds; Linux only. */
export function processCpuMs(pid: number): number {
  const line = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const fields = line.slice(line.lastIndexOf(')') + 2).split(' ');
  return (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
}
