/** Finds what keeps a namespace, with its mounts, alive; Linux only. */
import { readdirSync, readlinkSync } from 'node:fs';

/** The processes in one of the namespaces, or with a descriptor of one, which keeps its mounts. */
export function usersOf(namespaces: readonly string[]): readonly string[] {
  const linked = (path: string): string => {
    try {
      return readlinkSync(path);
    } catch {
      return '';
    }
  };
  const open = (pid: string): readonly string[] => {
    try {
      return readdirSync(`/proc/${pid}/fd`).map((fd) => `fd/${fd}`);
    } catch {
      return [];
    }
  };
  const pids = readdirSync('/proc').filter((name) => /^\d+$/.test(name));
  return pids.filter((pid) =>
    [...['user', 'mnt'].map((kind) => `ns/${kind}`), ...open(pid)].some((path) =>
      namespaces.includes(linked(`/proc/${pid}/${path}`)),
    ),
  );
}
