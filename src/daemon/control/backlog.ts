/** The items that a daemon has claimed and not started: what it claims ahead, and what waits for an end that is being written. */
import { messageOf } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import { giveBack } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { abortReason } from '../focus/scope/focus-control.ts';
import type { RunningFocus } from './focus-lease.ts';

export interface Backlog {
  readonly size: number;
  /**
   * Adds an item behind all that start before it: those of higher priority, and of the same priority those added earlier. `ahead`: it was
   * claimed without a free slot; it starts after items of its priority that were promised one. `untilMs`: how long it may wait, in monotonic
   * milliseconds.
   */
  add(item: RunningFocus, ahead: boolean, untilMs: number): void;
  /** Removes and returns the item that starts next. */
  next(): RunningFocus | undefined;
  /** Puts items back into the queue. They are removed at once; `ended` waits for the statement. */
  giveBack(which: (item: RunningFocus) => boolean): void;
  countOf(faculty: string): number;
  /** The names of the faculties of its items. */
  faculties(): string[];
  /** Puts back what has waited for too long, and returns whether there was any. */
  giveBackOverdue(nowMs: number): boolean;
  /** Until when the first of its items may wait; infinite: it is empty. */
  dueMs(): number;
  /** Resolves when no item is on its way back. */
  ended(): Promise<void>;
}

interface Waiting {
  readonly item: RunningFocus;
  readonly ahead: boolean;
  readonly untilMs: number;
}

/** `onGone`: the item is no longer this daemon's. */
export function createBacklog(db: Database, log: Log, onGone: (item: RunningFocus) => void): Backlog {
  let waiting: Waiting[] = [];
  const counts = new Map<string, number>();
  const returning = new Set<Promise<void>>();

  function forget(item: RunningFocus): void {
    counts.set(item.work.faculty, counts.get(item.work.faculty)! - 1);
  }

  /** Returns whether there were any. */
  function giveBackThose(which: (one: Waiting) => boolean): boolean {
    const removed = waiting.filter(which).map(({ item }) => item);
    if (removed.length === 0) return false;
    waiting = waiting.filter((one) => !which(one));
    for (const item of removed) forget(item);
    handBack(removed);
    return true;
  }

  function handBack(items: readonly RunningFocus[]): void {
    // The daemon that has taken the lease has the item.
    const ours = items.filter(({ control }) => abortReason(control) !== 'lease_lost');
    const returned = (
      ours.length === 0
        ? Promise.resolve()
        : giveBack(
            db,
            ours.map(({ work }) => work),
          )
    )
      .catch((error: unknown) => {
        log.warn(
          { items: ours.length, error: messageOf(error) },
          'could not give claimed work back; it will be claimed again when its lease ends',
        );
      })
      .then(() => {
        returning.delete(returned);
        for (const item of items) onGone(item);
      });
    returning.add(returned);
  }

  return {
    get size() {
      return waiting.length;
    },
    add(item, ahead, untilMs) {
      const { priority, faculty } = item.work;
      const at = waiting.findLastIndex(
        (other) =>
          other.item.work.priority > priority ||
          (other.item.work.priority === priority && Number(other.ahead) <= Number(ahead)),
      );
      waiting.splice(at + 1, 0, { item, ahead, untilMs });
      counts.set(faculty, (counts.get(faculty) ?? 0) + 1);
      // A cancel, a lost lease or the end of the daemon reaches it like a running focus.
      const stopped = () => giveBackThose((other) => other.item === item);
      item.control.signal.addEventListener('abort', stopped, { once: true });
      item.control.drain.addEventListener('abort', stopped, { once: true });
    },
    next() {
      const one = waiting.shift();
      if (one !== undefined) forget(one.item);
      return one?.item;
    },
    giveBack(which) {
      giveBackThose(({ item }) => which(item));
    },
    giveBackOverdue: (nowMs) => giveBackThose(({ untilMs }) => untilMs <= nowMs),
    countOf: (faculty) => counts.get(faculty) ?? 0,
    faculties: () => [...counts].filter(([, count]) => count > 0).map(([faculty]) => faculty),
    dueMs: () => waiting.reduce((least, { untilMs }) => Math.min(least, untilMs), Number.POSITIVE_INFINITY),
    async ended() {
      await Promise.all(returning);
    },
  };
}
