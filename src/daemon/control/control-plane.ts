/** The control plane: wakes, claims what there is room for, runs it, keeps the leases. */

import type { Faculty } from '../../catalog/faculty.ts';
import type { DaemonConfig } from '../../core/config/config.ts';
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Wake } from '../../core/lifecycle/wake.ts';
import type { Database } from '../../store/sql/database.ts';
import { resolveDueWaits } from '../../store/transcript/waits.ts';
import { type ClaimedWork, claimWork, releaseWork, takeOwnClaims } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import { count, record } from '../../telemetry/metrics.ts';
import { createFocusControl, type FocusControl } from '../focus/focus-control.ts';
import { claimableFaculties } from './capacity.ts';

export interface ControlPlaneMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly daemonId: string;
  readonly wake: Wake;
  readonly leaseSeconds: number;
  /** As configured now: asked again in every round. */
  readonly settings: () => ClaimSettings;
  readonly faculties: () => ReadonlyMap<string, Faculty>;
  /** Runs one focus to its end; never rejects. Resolves to how it ended, where that matters: one that parked may have set a timer. */
  readonly runFocus: (work: ClaimedWork, faculty: Faculty, control: FocusControl) => Promise<'parked' | 'ended'>;
}

/** What a change of the configuration may change while the daemon runs. */
export type ClaimSettings = Pick<DaemonConfig, 'maxConcurrent' | 'pollSeconds' | 'focusHostGraceSeconds'>;

/** A focus of this daemon. */
export interface RunningFocus {
  readonly work: ClaimedWork;
  readonly control: FocusControl;
  /** When the claim was asked for, monotonic milliseconds: the lease is at least this old. */
  readonly leasedAtMs: number;
}

export interface ControlPlane extends Service {
  /** Foci that run now. */
  readonly running: ReadonlyMap<string, RunningFocus>;
  /** Claims nothing for the faculty until then: its provider is in trouble. Milliseconds of the clock's monotonic time. */
  hold(faculty: string, untilMs: number): void;
  /** No new claims from here on; resolves when no focus runs any more. */
  drain(): Promise<void>;
}

/** A daemon that leaves saturation scans now and again after these milliseconds: an insert may have seen it busy. */
const RESCANS_MS = [100, 1000] as const;
/** Items whose waits one look resolves: it stays short, and the next one follows at once. */
const WAITS_PER_LOOK = 100;
/** Between two looks: an item that somebody holds stays due, and must not be asked for in a tight loop. */
const MIN_WAITS_PAUSE_MS = 50;

export function createControlPlane(means: ControlPlaneMeans): ControlPlane {
  const { db, clock, log, wake } = means;
  const running = new Map<string, RunningFocus>();
  const finished = new Set<Promise<void>>();
  const held = new Map<string, number>();
  const stopping = new AbortController();
  let loop: Promise<void> | null = null;
  let saturated = false;
  let troubled = false;
  let rescans: number[] = [];
  let lookAtWaitsAtMs = 0;
  /** Until then a claim whose answer was lost may turn up: its statement may still have been under way. */
  let claimsInDoubtUntilMs = 0;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await claimOnce();
      await wake.wait(waitMs, stopping.signal);
    }
  }

  /** One round; returns how long to wait for a ring before the next. */
  async function claimOnce(): Promise<number> {
    try {
      const untilWaitsMs = await wakeDueWaits();
      await takeLostClaims();
      // A drain may have begun meanwhile, and foci may have made room.
      if (stopping.signal.aborted) return 0;
      const { maxConcurrent, pollSeconds, focusHostGraceSeconds } = means.settings();
      const free = maxConcurrent - running.size;
      if (free > 0) {
        const faculties = means.faculties();
        const claimable = claimableFaculties(faculties.values(), held, clock.monotonicMs(), focusHostGraceSeconds);
        const startedMs = clock.monotonicMs();
        const claimed = await claimWork(db, means.daemonId, claimable, free, means.leaseSeconds).catch(
          (error: unknown) => {
            claimsInDoubtUntilMs = clock.monotonicMs() + means.leaseSeconds * 1000;
            throw error;
          },
        );
        for (const work of claimed) start(work, faculties.get(work.faculty)!, startedMs);
        noteSaturation(claimed.length === free);
        // What ended while the claim was under way did not ring for the room it left.
        if (saturated && running.size < maxConcurrent) wake.ring();
      } else {
        saturated = true;
      }
      if (troubled) log.info({}, 'the database answers again');
      troubled = false;
      return Math.min(rescans.shift() ?? Number.POSITIVE_INFINITY, pollSeconds * 1000, untilWaitsMs);
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot claim work; trying again');
      troubled = true;
      return 500 + 1000 * Math.random();
    }
  }

  /** After a claim that failed on this side: what the database claimed for this daemon all the same is begun, or handed back. */
  async function takeLostClaims(): Promise<void> {
    const startedMs = clock.monotonicMs();
    if (startedMs >= claimsInDoubtUntilMs) return;
    for (const work of await takeOwnClaims(db, means.daemonId, [...running.keys()], means.leaseSeconds)) {
      const faculty = stopping.signal.aborted ? undefined : means.faculties().get(work.faculty);
      log.info({ work_item_id: work.id, faculty: work.faculty }, 'took work whose claim had not been answered');
      if (faculty !== undefined) start(work, faculty, startedMs);
      else await releaseWork(db, work, { delaySeconds: 0, reason: 'claimed by a daemon that cannot run it now' });
    }
  }

  /** Waits whose deadline has passed are resolved with or without room for more work. Returns how long until the next look. */
  async function wakeDueWaits(): Promise<number> {
    const pollMs = means.settings().pollSeconds * 1000;
    // Rings come by the thousand under load; deadlines do not move with them.
    if (clock.monotonicMs() >= lookAtWaitsAtMs) {
      const { nextDueMs } = await resolveDueWaits(db, WAITS_PER_LOOK);
      lookAtWaitsAtMs = clock.monotonicMs() + Math.max(MIN_WAITS_PAUSE_MS, Math.min(pollMs, nextDueMs ?? pollMs));
    }
    return Math.max(0, lookAtWaitsAtMs - clock.monotonicMs());
  }

  /** The claim itself told inserters whether they can wake this daemon; one that saw it busy a moment too long is found by a scan. */
  function noteSaturation(full: boolean): void {
    if (saturated && !full) rescans = [...RESCANS_MS];
    saturated = full;
  }

  function start(work: ClaimedWork, faculty: Faculty, leasedAtMs: number): void {
    const control = createFocusControl();
    running.set(work.id, { work, control, leasedAtMs });
    count('work.state_transitions', 1, { faculty: work.faculty, from: 'queued', to: 'claimed' });
    // Of later attempts some were reclaimed, and have not been ready since.
    if (work.attempts === 0) {
      record('work.claim.latency', Math.max(0, clock.nowMs() - work.readyAt.getTime()), { faculty: work.faculty });
    }
    const focus = means
      .runFocus(work, faculty, control)
      .catch((error: unknown) => {
        log.error({ work_item_id: work.id, error: messageOf(error) }, 'a focus failed unexpectedly');
        // How far it got is unknown: look at everything.
        return 'parked' as const;
      })
      .then((end) => {
        running.delete(work.id);
        finished.delete(focus);
        // Its timer may be due before the next look.
        if (end === 'parked') lookAtWaitsAtMs = 0;
        if (end === 'parked' || leavesRoom(work.faculty)) wake.ring();
      });
    finished.add(focus);
  }

  /** Whether an end can make work claimable that the last claim left: with room to spare and no maximum it had taken all there was. */
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
      await loop;
      await takeLostClaims().catch((error: unknown) => {
        log.warn({ error: messageOf(error) }, 'work whose claim was not answered comes back when its lease ends');
      });
      await Promise.all(finished);
    },
    async stop() {
      stopping.abort();
      await loop;
      for (const focus of running.values()) focus.control.abort('shutdown');
      await Promise.all(finished);
    },
  };
}
