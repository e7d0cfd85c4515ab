/** Tracks which processes belong to a run. A process that was once identified stays a member, even if it later removes its marks. */
import type { ProcessEntry } from '../trace/process-table.ts';
import { markOf, type RunTrace, sureMembers } from '../trace/run-trace.ts';

/** Takes the current list of the host's processes and returns those of the run. Zombies are included, because each still uses a pid. */
export type RunMembers = (processes: readonly ProcessEntry[]) => readonly ProcessEntry[];

/** How many environments are read at the same time. */
const MAX_READS = 32;

/**
 * Tracks the members of one run: the processes in its cgroup, its process group and its session, those that carry its
 * marker, and every descendant of these that was listed before its parent ended. A call never waits: environments are
 * read in the background, and their result is used from the next call on.
 */
export function membersOf(trace: RunTrace): RunMembers {
  let known = new Set<string>();
  let strangers = new Set<string>();
  const marked = new Set<string>();
  const reading = new Set<string>();

  const isKnown = (entry: ProcessEntry): boolean => known.has(nameOf(entry)) || marked.has(nameOf(entry));
  const learn = async (entry: ProcessEntry): Promise<void> => {
    const name = nameOf(entry);
    reading.add(name);
    const mark = await markOf(trace, entry.pid);
    reading.delete(name);
    if (mark === 'ours') marked.add(name);
    if (mark === 'stranger' || mark === 'closed') strangers.add(name);
  };

  return (processes) => {
    const members = sureMembers(trace, processes, isKnown);
    known = new Set([...members.values()].map(nameOf));
    const others = processes.filter(({ pid, startTicks }) => startTicks >= trace.startTicks && !members.has(pid));
    strangers = new Set(others.map(nameOf).filter((name) => strangers.has(name)));
    const unread = others.filter(
      (entry) => !entry.dead && !strangers.has(nameOf(entry)) && !reading.has(nameOf(entry)),
    );
    for (const entry of unread.slice(0, MAX_READS - reading.size)) void learn(entry);
    return [...members.values()];
  };
}

/** Identifies a process. The pid alone does not, because pids are reused. */
function nameOf({ pid, startTicks }: ProcessEntry): string {
  return `${pid}:${startTicks}`;
}
