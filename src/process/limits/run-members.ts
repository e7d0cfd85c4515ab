/** Tracks which processes belong to a run: a process seen once stays a member, even if it later drops its marks. */
import type { ProcessEntry } from '../trace/process-table.ts';
import { markOf, type RunTrace, sureMembers } from '../trace/run-trace.ts';

/** Takes the newest list of the host's processes and returns those of the run; zombies too, which hold a number still. */
export type RunMembers = (processes: readonly ProcessEntry[]) => readonly ProcessEntry[];

/** Environments that are being read at once. */
const MAX_READS = 32;

/**
 * The members of one run: its cgroup, its process group and session, what carries its marker, and every descendant of one of these that was seen before its parent ended. A look never waits: what it learns
 * from environments counts from the next one on.
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

/** A pid alone can be reused. */
function nameOf({ pid, startTicks }: ProcessEntry): string {
  return `${pid}:${startTicks}`;
}
