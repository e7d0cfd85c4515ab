/** Reads and writes of one cgroup (version 2): what is in it, and its end. */
import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kills everything in it at once, however fast it forks (Linux 5.14; before, the search by /proc has to do). */
export function killCgroup(path: string): void {
  writeTo(path, 'cgroup.kill', '1');
}

/** The pids in it; none where it is gone. Processes of another PID namespace are 0. */
export function processesInCgroup(path: string): readonly number[] {
  return (readFrom(path, 'cgroup.procs') ?? '').split('\n').filter(Boolean).map(Number);
}

/** How many processes and threads live in it; zombies do not count. */
export function threadsInCgroup(path: string): number {
  return (readFrom(path, 'cgroup.threads') ?? '').split('\n').length - 1;
}

/** False while something is in it. */
export function removeCgroup(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** False where the kernel, or the lack of a right, refused it. */
export function writeTo(path: string, file: string, text: string): boolean {
  try {
    writeFileSync(join(path, file), text);
    return true;
  } catch {
    return false;
  }
}

/** Null where there is no such file, or it may not be read. */
export function readFrom(path: string, file: string): string | null {
  try {
    return readFileSync(join(path, file), 'utf8');
  } catch {
    return null;
  }
}
