/** The control plane: wakes up, claims as much work as fits, runs it and renews the leases. */

import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { DaemonConfig } from '../../core/config/sections/daemon.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { momentOf } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Wake } from '../../core/lifecycle/wake.ts';
import type { ReleaseReason } from '../../store/work/release-reason.ts';
import { type Claim, type ClaimRequest, claimReadyWork, releaseWork, takeOwnClaims } from '../../store/work/work.ts';
import type { Ends } from '../focus/scope/refused-end.ts';
import { claimableFaculties } from './capacity.ts';
import { createClaimWatch } from './claim-watch.ts';
import { createDueWaits } from './due-waits.ts';
import type { LeaseHolder, RunningFocus } from './focus-lease.ts';
import { createRoomMaker } from './room-maker.ts';
import { createSkippedInserts } from './skipped-inserts.ts';
import { createSlots, type RunFocus } from './slots.ts';

export interface ClaimingDaemon extends LeaseHolder {
  readonly daemonId: string;
  readonly wake: Wake;
  /** The current configuration: read again in every round. */
  readonly settings: () => ClaimSettings;
  readonly faculties: () => ReadonlyMap<string, Faculty>;
  readonly runFocus: RunFocus;
  /** What makes claims fail, as people are told; called when it has changed. */
  readonly onClaimProblems: (problems: readonly string[]) => void;
}

/** The settings that a configuration reload may change while the daemon runs. */
export type ClaimSettings = Pick<DaemonConfig, 'maxConcurrent' | 'pollSeconds' | 'focusHostGraceSeconds'>;

export interface ControlPlane extends Service {
  /** The foci that run now, and the items that were claimed ahead. */
  readonly running: ReadonlyMap<string, RunningFocus>;
  /**
   * Claims nothing for the faculty until then, because its provider is failing. Milliseconds of the clock's monotonic
   * time.
   */
  hold(faculty: string, untilMs: number): void;
  /** `ok`, or since when nothing could be claimed although work is due, or no end was taken, and why. */
  claims(): string;
  /** What foci report of their ends. */
  readonly ends: Ends;
  /** Stops claiming; resolves when no focus is running. */
  drain(): Promise<void>;
}

const CANNOT_RUN: ReleaseReason = {
  reason: 'claimed by a daemon that cannot run it now',
  cause: 'daemon.cannot_run',
};
/** How often one round leaves out what makes its claim fail; what is left then is found in the next round. */
const MOST_LOOKS = 3;

export function createControlPlane(daemon: ClaimingDaemon): ControlPlane {
  const { db, clock, log, wake } = daemon;
  const held = new Map<string, number>();
  const stopping = new AbortController();
  let loop: Promise<void> | null = null;
  let saturated = false;
  let first = true;
  let troubled = false;
  /** The last claim brought all it asked for, so there may be more to claim ahead. */
  let mayClaimAhead = true;
  /** Until then, work from a claim whose response was lost may still appear: its statement may have been running. */
  let claimsInDoubtUntilMs = 0;

  const skipped = createSkippedInserts({
    db,
    clock,
    log,
    wake,
    stopping: stopping.signal,
    isFull: () => saturated,
    pollMs: () => daemon.settings().pollSeconds * 1000,
  });

  const watch = createClaimWatch({ db, clock, log, onProblems: daemon.onClaimProblems });
  const dueWaits = createDueWaits({
    db,
    clock,
    pollMs: () => daemon.settings().pollSeconds * 1000,
    onFaults: watch.leftOut,
    onProblem: watch.waits,
  });

  const slots = createSlots({
    ...daemon,
    maxConcurrent: () => daemon.settings().maxConcurrent,
    stopping: stopping.signal,
    onEnd(end, faculty) {
      // Its timer may be due before the next pass.
      if (end === 'parked') dueWaits.lookSoon();
      if (end === 'parked' || leavesRoom(faculty)) wake.ring();
    },
    onEnding() {
      if (saturated && isWorthAClaim()) wake.ring();
    },
  });
  const { running, backlog } = slots;
  const roomMaker = createRoomMaker({ clock, log, running, backlog });

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await claimOnce();
      await wake.wait(waitMs, stopping.signal);
    }
  }

  /** One round; returns how long to wait for a notification before the next. */
  async function claimOnce(): Promise<number> {
    try {
      const untilWaitsMs = await dueWaits.resolve();
      await takeLostClaims();
      // Meanwhile a drain may have begun, or a focus may have ended and made room.
      if (stopping.signal.aborted) return 0;
      await claim();
      if (troubled) log.info({}, 'the database answers again');
      troubled = false;
      return Math.min(daemon.settings().pollSeconds * 1000, untilWaitsMs, giveBackOverdue(), roomMaker.nextLookMs());
    } catch (error) {
      watch.failed(error);
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot claim work; trying again');
      troubled = true;
      return 500 + 1000 * Math.random();
    }
  }

  /** A claim costs the same whatever it brings, so while items wait here for the next slots it should bring many. */
  function isWorthAClaim(): boolean {
    const room = slots.room();
    return room > 0 && (backlog.size === 0 || 3 * room >= 2 * daemon.settings().maxConcurrent);
  }

  /** Claims for all slots that are free or about to be, and ahead. */
  async function claim(): Promise<void> {
    const free = slots.room();
    if (free === 0) saturated = true;
    const sent = momentOf(clock);
    const faculties = claimableFaculties(daemon.faculties().values(), {
      heldUntilMs: held,
      nowMs: sent.monotonicMs,
      hostGraceSeconds: daemon.settings().focusHostGraceSeconds,
      aheadOf: mayClaimAhead ? slots.claimsAhead : () => 0,
    });
    const ahead = Object.values(faculties).reduce((sum, faculty) => sum + (faculty.ahead ?? 0), 0);
    if (free + ahead + backlog.size === 0) return watch.brought(null);
    const { daemonId, leaseSeconds } = daemon;
    const request = { daemonId, faculties, limit: free, leaseSeconds, first, ahead, waiting: backlog.faculties() };
    const { work, settled, paused, alone } = await claimAround(request);
    first = false;
    for (const one of work) slots.take(one, sent);
    backlog.giveBack((item) => paused.includes(item.work.faculty));
    roomMaker.heed(alone, work);
    slots.fill();
    saturated = work.length >= free;
    if (ahead > 0 && alone === null) mayClaimAhead = work.length === free + ahead;
    if (!settled) skipped.await();
    // Foci that ended while the claim was running did not trigger another round.
    if (saturated && isWorthAClaim()) wake.ring();
    await watch.brought(free === 0 || alone !== null ? null : work.length);
  }

  /** Claims; if that fails because of some items or faculties, claims the others. */
  async function claimAround(request: ClaimRequest): Promise<Claim> {
    for (let looks = 0; ; looks++) {
      try {
        return await claimReadyWork(db, { ...request, faculties: watch.able(request.faculties) });
      } catch (error) {
        claimsInDoubtUntilMs = clock.monotonicMs() + daemon.leaseSeconds * 1000;
        if (looks === MOST_LOOKS || !(await watch.explain(request, error))) throw error;
      }
    }
  }

  /** Gives back what has waited for a slot for too long, and claims nothing ahead until a focus ends. Returns the time until the next look. */
  function giveBackOverdue(): number {
    const { gaveBack, nextMs } = slots.giveBackOverdue();
    if (gaveBack) mayClaimAhead = false;
    return nextMs;
  }

  /**
   * After a claim that failed on this side: runs or releases the work that the database has claimed for this daemon
   * nevertheless.
   */
  async function takeLostClaims(): Promise<void> {
    const sent = momentOf(clock);
    if (sent.monotonicMs >= claimsInDoubtUntilMs) return;
    for (const work of await takeOwnClaims(db, daemon.daemonId, [...running.keys()], daemon.leaseSeconds)) {
      const faculty = stopping.signal.aborted ? undefined : daemon.faculties().get(work.faculty);
      log.info(
        { work_item_id: work.id, faculty: work.faculty },
        'found work that a claim had reserved although its answer was lost',
      );
      if (faculty !== undefined) slots.take(work, sent);
      else await releaseWork(db, work, { delaySeconds: 0, ...CANNOT_RUN });
    }
    slots.fill();
  }

  /**
   * Whether the end of a focus can make work claimable that the last claim left. A claim with room to spare and no maximum had taken
   * everything. While items wait here, only a refill is due.
   */
  function leavesRoom(faculty: Faculty): boolean {
    if (backlog.size === 0) mayClaimAhead = true;
    if (saturated && (isWorthAClaim() || (mayClaimAhead && slots.claimsAhead(faculty) > 0))) return true;
    return backlog.size === 0 && faculty.maxConcurrent !== null;
  }

  return {
    running,
    claims: watch.standing,
    ends: watch.ends,
    hold(faculty, untilMs) {
      held.set(faculty, Math.max(untilMs, held.get(faculty) ?? 0));
      backlog.giveBack((item) => item.work.faculty === faculty);
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
          'could not release the work of a claim whose answer was lost; it will be claimed again when its lease ends',
        );
      });
      backlog.giveBack(() => true);
      await slots.ended();
    },
    async stop() {
      stopping.abort();
      await Promise.all([loop, skipped.ended()]);
      backlog.giveBack(() => true);
      for (const focus of running.values()) focus.control.abort('shutdown');
      await slots.ended();
    },
  };
}
