/** The control plane: wakes up, claims as much work as fits, runs it and renews the leases. */

import type { Faculty } from '../../catalog/faculty.ts';
import type { DaemonConfig } from '../../core/config/config.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Wake } from '../../core/lifecycle/wake.ts';
import type { Database } from '../../store/sql/database.ts';
import { resolveDueWaits } from '../../store/transcript/waits.ts';
import { type ClaimedWork, claimReadyWork, releaseWork, takeOwnClaims } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { createFocusControl, type FocusControl } from '../focus/focus-control.ts';
import { claimableFaculties } from './capacity.ts';
import { createSkippedInserts } from './skipped-inserts.ts';

export interface ControlPlaneMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly daemonId: string;
  readonly wake: Wake;
  readonly leaseSeconds: number;
  /** The current configuration: read again in every round. */
  readonly settings: () => ClaimSettings;
  readonly faculties: () => ReadonlyMap<string, Faculty>;
  /**
   * Runs one focus to its end; never rejects. Resolves to how it ended where the caller needs it: a parked focus may have set a
   * timer.
   */
  readonly runFocus: (work: ClaimedWork, faculty: Faculty, control: FocusControl) => Promise<'parked' | 'ended'>;
}

/** The settings that a configuration reload may change while the daemon runs. */
export type ClaimSettings = Pick<DaemonConfig, 'maxConcurrent' | 'pollSeconds' | 'focusHostGraceSeconds'>;

/** A focus of this daemon. */
export interface RunningFocus {
  readonly work: ClaimedWork;
  readonly control: FocusControl;
  /** When the claim was sent, in monotonic milliseconds: the lease cannot have begun earlier. */
  readonly leasedAtMs: number;
}

export interface ControlPlane extends Service {
  /** The number of foci that run now. */
  readonly running: ReadonlyMap<string, RunningFocus>;
  /**
   * Claims nothing for the faculty until then, because its provider is failing. Milliseconds of the clock's monotonic
   * time.
   */
  hold(faculty: string, untilMs: number): void;
  /** Stops claiming; resolves when no focus runs any more. */
  drain(): Promise<void>;
}

/** How many items one pass resolves waits for. A pass stays short, and the next one follows at once. */
const WAITS_PER_LOOK = 100;
/** Pause between two passes: a locked item stays due, and must not be polled in a tight loop. */
const MIN_WAITS_PAUSE_MS = 50;

export function createControlPlane(means: ControlPlaneMeans): ControlPlane {
  const { db, clock, log, wake } = means;
  const running = new Map<string, RunningFocus>();
  const finished = new Set<Promise<void>>();
  const held = new Map<string, number>();
  const stopping = new AbortController();
  let loop: Promise<void> | null = null;
  let saturated = false;
  let first = true;
  let troubled = false;
  let lookAtWaitsAtMs = 0;
  /** Until then, work from a claim whose response was lost may still appear: its statement may have been running. */
  let claimsInDoubtUntilMs = 0;

  const skipped = createSkippedInserts({
    db,
    clock,
    log,
    wake,
    stopping: stopping.signal,
    isFull: () => saturated,
    pollMs: () => means.settings().pollSeconds * 1000,
  });

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await claimOnce();
      await wake.wait(waitMs, stopping.signal);
    }
  }

  /** One round; returns how long to wait for a notification before the next. */
  async function claimOnce(): Promise<number> {
    try {
      const untilWaitsMs = await wakeDueWaits();
      await takeLostClaims();
      // Meanwhile a drain may have begun, or a focus may have ended and made room.
      if (stopping.signal.aborted) return 0;
      const { maxConcurrent, pollSeconds, focusHostGraceSeconds } = means.settings();
      const free = maxConcurrent - running.size;
      if (free > 0) {
        const faculties = means.faculties();
        const claimable = claimableFaculties(faculties.values(), held, clock.monotonicMs(), focusHostGraceSeconds);
        const startedMs = clock.monotonicMs();
        const claim = await claimReadyWork(db, means.daemonId, claimable, free, means.leaseSeconds, first).catch(
          (error: unknown) => {
            claimsInDoubtUntilMs = clock.monotonicMs() + means.leaseSeconds * 1000;
            throw error;
          },
        );
        first = false;
        for (const work of claim.work) start(work, faculties.get(work.faculty)!, startedMs);
        saturated = claim.work.length === free;
        if (!claim.settled) skipped.await();
        // Foci that ended while the claim was running did not trigger another round.
        if (saturated && running.size < maxConcurrent) wake.ring();
      } else {
        saturated = true;
      }
      if (troubled) log.info({}, 'the database answers again');
      troubled = false;
      return Math.min(pollSeconds * 1000, untilWaitsMs);
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot claim work; trying again');
      troubled = true;
      return 500 + 1000 * Math.random();
    }
  }

  /**
   * After a claim that failed on this side: runs or releases the work that the database has claimed for this daemon
   * nevertheless.
   */
  async function takeLostClaims(): Promise<void> {
    const startedMs = clock.monotonicMs();
    if (startedMs >= claimsInDoubtUntilMs) return;
    for (const work of await takeOwnClaims(db, means.daemonId, [...running.keys()], means.leaseSeconds)) {
      const faculty = stopping.signal.aborted ? undefined : means.faculties().get(work.faculty);
      log.info(
        { work_item_id: work.id, faculty: work.faculty },
        'found work that a claim had reserved although its answer was lost',
      );
      if (faculty !== undefined) start(work, faculty, startedMs);
      else await releaseWork(db, work, { delaySeconds: 0, reason: 'claimed by a daemon that cannot run it now' });
    }
  }

  /** Resolves waits whose deadline has passed, even when there is no room for more work. Returns the time until the next pass. */
  async function wakeDueWaits(): Promise<number> {
    const pollMs = means.settings().pollSeconds * 1000;
    // Thousands of notifications arrive under load; they do not change any deadline.
    if (clock.monotonicMs() >= lookAtWaitsAtMs) {
      const { nextDueMs } = await resolveDueWaits(db, WAITS_PER_LOOK);
      lookAtWaitsAtMs = clock.monotonicMs() + Math.max(MIN_WAITS_PAUSE_MS, Math.min(pollMs, nextDueMs ?? pollMs));
    }
    return Math.max(0, lookAtWaitsAtMs - clock.monotonicMs());
  }

  function start(work: ClaimedWork, faculty: Faculty, leasedAtMs: number): void {
    const control = createFocusControl();
    running.set(work.id, { work, control, leasedAtMs });
    count('work.state_transitions', 1, { faculty: work.faculty, from: 'queued', to: 'claimed' });
    // Later attempts are left out: some were reclaimed, and were not ready all that time.
    if (work.attempts === 0) {
      record('work.claim.latency', Math.max(0, clock.nowMs() - work.readyAt.getTime()), { faculty: work.faculty });
    }
    const focus = means
      .runFocus(work, faculty, control)
      .catch((error: unknown) => {
        log.error({ work_item_id: work.id, error: messageOf(error) }, 'a focus failed unexpectedly');
        // It is unknown how far it got, so check everything.
        return 'parked' as const;
      })
      .then((end) => {
        running.delete(work.id);
        finished.delete(focus);
        // Its timer may be due before the next pass.
        if (end === 'parked') lookAtWaitsAtMs = 0;
        if (end === 'parked' || leavesRoom(work.faculty)) wake.ring();
      });
    finished.add(focus);
  }

  /**
   * Whether the end of a focus can make work claimable that the last claim left. A claim with room to spare and no maximum had taken
   * everything.
   */
  function leavesRoom(faculty: string): boolean {
    return saturated || means.faculties().get(faculty)?.maxConcurrent !== null;
  }

  return {
    running,
    hold(faculty, untilMs) {
      held.set(faculty, Math.max(untilMs, held.get(faculty) ?? 0));
    },
    async start() {
      loop = run();
    },
    async drain() {
      stopping.abort();
      await Promise.all([loop, skipped.ended()]);
      await takeLostClaims().catch((error: unknown) => {
        log.warn(
          { error: messageOf(error) },
          'could not release the work of a claim whose answer was lost; it is claimed again when its lease ends',
        );
      });
      await Promise.all(finished);
    },
    async stop() {
      stopping.abort();
      await Promise.all([loop, skipped.ended()]);
      for (const focus of running.values()) focus.control.abort('shutdown');
      await Promise.all(finished);
    },
  };
}
