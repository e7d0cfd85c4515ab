/** Computes which runs of a schedule fire now, which are skipped, and when it is due next. Pure. */
import type { DueTimes } from '../../core/work/cron.ts';
import type { MissedPolicy, MissedRuns } from './store.ts';

export interface DueSchedule {
  /** The oldest due time that has not been handled. */
  readonly nextAt: Date;
  readonly missed: MissedPolicy;
  readonly graceSeconds: number;
}

export interface DueRuns {
  /** Oldest first, at most MAX_FIRED. */
  readonly fire: readonly Date[];
  readonly missed: MissedRuns | null;
  /** The next due time; at or before `now` when more runs are due at once. Null: never again. */
  readonly nextAt: Date | null;
}

/** The most runs that policy `all` fires in one transaction; the rest follow in the next. */
export const MAX_FIRED = 100;
/** Counting of missed runs stops here; this count means "this many or more". */
export const MAX_COUNTED = 1000;

/**
 * `all`: every due run fires. `once`: only the newest fires, in place of all due runs. `skip`: the newest fires if it is
 * at most `graceSeconds` late; older ones never fire.
 */
export function dueRuns(schedule: DueSchedule, now: Date, times: DueTimes): DueRuns {
  const due = dueUntil(schedule.nextAt, now, times, schedule.missed === 'all' ? MAX_FIRED : MAX_COUNTED);
  if (schedule.missed === 'all') return { fire: due, missed: null, nextAt: times.next(due.at(-1) ?? now) };
  const newest = due.length === MAX_COUNTED ? (times.last(now) ?? due.at(-1)!) : due.at(-1)!;
  const late = now.getTime() - newest.getTime() > schedule.graceSeconds * 1000;
  const fires = schedule.missed === 'once' || !late;
  const passed = due.filter((time) => !fires || time.getTime() !== newest.getTime());
  return { fire: fires ? [newest] : [], missed: missedOf(passed, fires, due, newest, times), nextAt: times.next(now) };
}

function dueUntil(first: Date, now: Date, times: DueTimes, limit: number): Date[] {
  const due = [first];
  while (due.length < limit) {
    const next = times.next(due.at(-1)!);
    if (next === null || next > now) break;
    due.push(next);
  }
  return due;
}

function missedOf(
  passed: readonly Date[],
  newestFires: boolean,
  due: readonly Date[],
  newest: Date,
  times: DueTimes,
): MissedRuns | null {
  const [from] = passed;
  if (from === undefined) return null;
  const whole = due.at(-1)!.getTime() === newest.getTime();
  const beforeNewest = () => times.last(new Date(newest.getTime() - 1)) ?? from;
  const until = whole ? passed.at(-1)! : newestFires ? beforeNewest() : newest;
  return { from, until, runs: passed.length };
}
