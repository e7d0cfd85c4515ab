/** Reads, kills and removes one cgroup (version 2). */
import { readFileSync, rmdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** Kills all its processes at once, no matter how fast they fork. Needs Linux 5.14; on older kernels only scans of /proc find them. */
export function killCgroup(path: string): void {
  writeTo(path, 'cgroup.kill', '1');
}

/** Returns its pids; none if the cgroup is gone. Processes of another PID namespace are listed as 0. */
export function processesInCgroup(path: string): readonly number[] {
  return (readFrom(path, 'cgroup.procs') ?? '').split('\n').filter(Boolean).map(Number);
}

/** Returns the number of processes and threads in it, without zombies. */
export function threadsInCgroup(path: string): number {
  return (readFrom(path, 'cgroup.threads') ?? '').split('\n').length - 1;
}

/** Removes it; false if it is not empty. */
export function removeCgroup(path: string): boolean {
  try {
    rmdirSync(path);
    return true;
  } catch (error) {
    return (error as NodeJS.ErrnoException).code === 'ENOENT';
  }
}

/** Writes to one of its files; false if the kernel or missing permission prevented it. */
export function writeTo(path: string, file: string, text: string): boolean {
  try {
    writeFileSync(join(path, file), text);
    return true;
  } catch {
    return false;
  }
}

/** Reads one of its files; null if the file does not exist or cannot be read. */
export function readFrom(path: string, file: string): string | null {
  try {
    return readFileSync(join(path, file), 'utf8');
  } catch {
    return null;
  }
}
