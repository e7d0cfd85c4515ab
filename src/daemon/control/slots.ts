/** The foci of a daemon: those that work, at most one in each slot, and the claimed items that wait for a slot. */

import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Moment } from '../../core/lifecycle/clock.ts';
import type { Lease } from '../../core/lifecycle/lease.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { createFocusControl, type FocusControl } from '../focus/scope/focus-control.ts';
import { type Backlog, createBacklog } from './backlog.ts';
import { createFocusLease, type LeaseHolder, type RunningFocus } from './focus-lease.ts';
import { createPace, PACE_MS } from './pace.ts';

/**
 * Runs one focus to its end; never rejects. Resolves to how it ended where the caller needs it: a parked focus may have set a
 * timer.
 */
export type RunFocus = (
  work: ClaimedWork,
  faculty: Faculty,
  control: FocusControl,
  lease: Lease,
) => Promise<'parked' | 'ended'>;

export interface Slots {
  /** All claimed items of this daemon, whether they have started or not. */
  readonly running: ReadonlyMap<string, RunningFocus>;
  readonly backlog: Backlog;
  /**
   * How many more items can be taken: those that have a slot now, or as soon as an end that is on its way is committed. So claims and ends
   * are on their way at the same time, and not one after the other.
   */
  room(): number;
  /**
   * How many items of a faculty to claim ahead: what is missing of its `prefetch`, or of what the pace of its foci asks for, once half of it has
   * started. So a refill is one claim of many items.
   */
  claimsAhead(faculty: Faculty): number;
  /** Adds a claimed item to those that wait for a slot. `fill` starts it. */
  take(work: ClaimedWork, claimed: Moment): void;
  /** Starts what waits, as far as there are slots. */
  fill(): void;
  /** Gives back what has waited for too long. `nextMs`: the time until the next look. */
  giveBackOverdue(): { readonly gaveBack: boolean; readonly nextMs: number };
  /** Resolves when nothing is running and nothing is on its way back. */
  ended(): Promise<void>;
}

export interface SlotHolder extends LeaseHolder {
  readonly maxConcurrent: () => number;
  readonly faculties: () => ReadonlyMap<string, Faculty>;
  readonly runFocus: RunFocus;
  /** Starts nothing more. */
  readonly stopping: AbortSignal;
  /** A focus has ended or left its slot, and the next one that waited has the slot. */
  readonly onEnd: (end: 'parked' | 'ended', faculty: Faculty) => void;
  /** A focus has done its work and keeps its slot until its end is committed. */
  readonly onEnding: () => void;
}

/**
 * How long a claimed item may wait for a slot before it is given back: slow foci must not keep short work from other daemons. At most this
 * share of the lease, because processes of a focus get nine tenths of a lease from its start, and must end before the lease does.
 */
const MAX_WAIT_MS = 1000;
const MAX_WAIT_SHARE = 0.05;
/** The same for what the daemon has claimed ahead by itself: it was to start sooner, so the pace is not what it was. */
const MAX_WAIT_BY_PACE_MS = 2.5 * PACE_MS;

export function createSlots(holder: SlotHolder): Slots {
  const { db, clock, log, stopping } = holder;
  const running = new Map<string, RunningFocus>();
  const foci = new Set<Promise<void>>();
  /** Those that have a slot, and since when. */
  const working = new Map<string, number>();
  /** Those of short work that only write their end, and have no slot. */
  const ending = new Set<string>();
  /** Those that only write their end, and still have their slot. */
  const closing = new Set<string>();
  /** Items waited for a slot for too long, and no focus has ended since: the ends that are on their way may take long. */
  let endsAreLate = false;
  const maxWaitMs = Math.min(MAX_WAIT_MS, MAX_WAIT_SHARE * holder.leaseSeconds * 1000);
  const pace = createPace();
  const backlog = createBacklog(db, log, (item) => running.delete(item.work.id));

  function free(): number {
    return holder.maxConcurrent() - working.size;
  }

  function room(): number {
    return Math.max(0, free() + (endsAreLate ? 0 : closing.size) - backlog.size);
  }

  /** How many items of a faculty may wait for a slot, and as many may write their end without one. */
  function aheadOf({ name, prefetch }: Faculty): number {
    return prefetch ?? pace.ahead(name, clock.monotonicMs());
  }

  function take(work: ClaimedWork, claimed: Moment): void {
    const control = createFocusControl(() => leaveSlot(work));
    const lease = createFocusLease(holder, work, control, claimed);
    const item = { work, control, lease };
    running.set(work.id, item);
    count('work.state_transitions', 1, { faculty: work.faculty, from: 'queued', to: 'claimed' });
    // Later attempts are left out: some were reclaimed, and were not ready all that time.
    if (work.attempts === 0) {
      record('work.claim.latency', Math.max(0, clock.nowMs() - work.readyAt.getTime()), { faculty: work.faculty });
    }
    const faculty = holder.faculties().get(work.faculty);
    const ahead = faculty !== undefined && aheadOf(faculty) > 0;
    const patienceMs = ahead && faculty.prefetch === undefined ? Math.min(maxWaitMs, MAX_WAIT_BY_PACE_MS) : maxWaitMs;
    backlog.add(item, ahead, claimed.monotonicMs + patienceMs);
  }

  function fill(): void {
    while (!stopping.aborted && free() > 0) {
      const item = backlog.next();
      if (item === undefined) return;
      start(item);
    }
  }

  function start(item: RunningFocus): void {
    const { work, control, lease } = item;
    const faculty = holder.faculties().get(work.faculty);
    if (faculty === undefined) {
      // Its file was removed after the claim.
      backlog.add(item, true, 0);
      backlog.giveBack((other) => other === item);
      return;
    }
    const startedMs = clock.monotonicMs();
    working.set(work.id, startedMs);
    const focus = holder
      .runFocus(work, faculty, control, lease)
      .catch((error: unknown) => {
        log.error({ work_item_id: work.id, error: messageOf(error) }, 'a focus failed unexpectedly');
        // It is unknown how far it got, so check everything.
        return 'parked' as const;
      })
      .then((end) => {
        running.delete(work.id);
        if (!ending.has(work.id) && !closing.has(work.id)) pace.worked(work.faculty, startedMs, clock.monotonicMs());
        working.delete(work.id);
        ending.delete(work.id);
        closing.delete(work.id);
        endsAreLate = false;
        foci.delete(focus);
        fill();
        holder.onEnd(end, faculty);
      });
    foci.add(focus);
  }

  /**
   * Lets the ends of short work be written together: otherwise the slots would limit how many one statement writes. Other foci keep their
   * slots, and the next items are claimed meanwhile.
   */
  function leaveSlot(work: ClaimedWork): void {
    const faculty = holder.faculties().get(work.faculty);
    const startedMs = working.get(work.id);
    if (faculty === undefined || startedMs === undefined) return;
    const ahead = aheadOf(faculty);
    pace.worked(work.faculty, startedMs, clock.monotonicMs());
    if (ahead === 0) {
      closing.add(work.id);
      holder.onEnding();
      return;
    }
    if (ending.size >= ahead) return;
    working.delete(work.id);
    ending.add(work.id);
    // Not at once: the caller is about to write its end.
    queueMicrotask(() => {
      fill();
      holder.onEnd('ended', faculty);
    });
  }

  return {
    running,
    backlog,
    room,
    claimsAhead(faculty) {
      const ahead = aheadOf(faculty);
      const waiting = backlog.countOf(faculty.name);
      return waiting <= ahead / 2 ? ahead - waiting : 0;
    },
    take,
    fill,
    giveBackOverdue() {
      const nowMs = clock.monotonicMs();
      const gaveBack = backlog.giveBackOverdue(nowMs);
      if (gaveBack) {
        endsAreLate = true;
        pace.stalled();
      }
      return { gaveBack, nextMs: backlog.dueMs() - nowMs };
    },
    async ended() {
      await Promise.all(foci);
      await backlog.ended();
    },
  };
}
