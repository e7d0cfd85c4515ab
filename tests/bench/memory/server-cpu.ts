/** CPU time of the sessions of a database on this machine, in a container or not, from /proc: Linux only. It is right on a busy machine, too. */
import { readdirSync, readFileSync } from 'node:fs';

/** Clock ticks in /proc are hundredths of a second on every Linux that Node runs on. */
const MS_PER_TICK = 10;

/** Milliseconds so far of the open sessions, which have the name of their database in their title; 0 where none is seen. */
export function sessionsCpuMs(database: string): number {
  return processes()
    .filter((pid) => read(pid, 'cmdline').includes(` ${database} `))
    .map((pid) => {
      const fields = read(pid, 'stat')
        .replace(/^.*\) /s, '')
        .split(' ');
      return fields.length < 13 ? 0 : (Number(fields[11]) + Number(fields[12])) * MS_PER_TICK;
    })
    .reduce((sum, ms) => sum + ms, 0);
}

function processes(): string[] {
  try {
    return readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  } catch {
    return [];
  }
}

function read(pid: string, file: string): string {
  try {
    return readFileSync(`/proc/${pid}/${file}`, 'utf8');
  } catch {
    return ''; // it has ended in the meantime
  }
}
