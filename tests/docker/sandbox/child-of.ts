/** The only child of a process: the keeper of a daemon. */
import { readdirSync, readFileSync } from 'node:fs';

/** Its pid. Throws if there is none. */
export function childOf(parent: number): number {
  const pid = readdirSync('/proc')
    .map(Number)
    .find((each) => parentOf(each) === parent);
  if (pid === undefined) throw new Error(`process ${parent} has no child`);
  return pid;
}

function parentOf(pid: number): number | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
    return Number(stat.slice(stat.lastIndexOf(')') + 2).split(' ')[1]);
  } catch {
    return null;
  }
}
