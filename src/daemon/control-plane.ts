/** The control plane: wakes, claims what there is room for, runs it, keeps the leases. */

import type { Faculty } from '../catalog/faculty.ts';
import type { Clock } from '../core/clock.ts';
import { messageOf } from '../core/errors.ts';
import type { Service } from '../core/service.ts';
import { markSaturated } from '../store/daemons.ts';
import type { Database } from '../store/database.ts';
import { type ClaimedWork, claimWork } from '../store/work.ts';
import type { Log } from '../telemetry/log.ts';
import { count } from '../telemetry/metrics.ts';
import { claimableFaculties } from './capacity.ts';
import { createFocusControl, type FocusControl } from './focus-control.ts';
import type { Wake } from './wake.ts';

export interface ControlPlaneMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly daemonId: string;
  readonly wake: Wake;
  readonly maxConcurrent: number;
  readonly leaseSeconds: number;
  readonly pollSeconds: number;
  readonly faculties: () => ReadonlyMap<string, Faculty>;
  /** Runs one focus to its end; never rejects. */
  readonly runFocus: (work: ClaimedWork, faculty: Faculty, control: FocusControl) => Promise<void>;
}

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

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const waitMs = await claimOnce();
      await wake.wait(waitMs, stopping.signal);
    }
  }

  /** One round; returns how long to wait for a ring before the next. */
  async function claimOnce(): Promise<number> {
    try {
      const free = means.maxConcurrent - running.size;
      if (free > 0) {
        const faculties = means.faculties();
        const claimable = claimableFaculties(faculties.values(), held, clock.monotonicMs());
        const startedMs = clock.monotonicMs();
        const claimed = await claimWork(db, means.daemonId, claimable, free, means.leaseSeconds);
        for (const work of claimed) start(work, faculties.get(work.faculty)!, startedMs);
      }
      await noteSaturation();
      if (troubled) log.info({}, 'the database answers again');
      troubled = false;
      return rescans.shift() ?? means.pollSeconds * 1000;
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot claim work; trying again');
      troubled = true;
      return 500 + 1000 * Math.random();
    }
  }

  async function noteSaturation(): Promise<void> {
    const full = running.size >= means.maxConcurrent;
    if (full === saturated) return;
    await markSaturated(db, means.daemonId, full);
    saturated = full;
    if (!full) {
      rescans = [...RESCANS_MS];
      wake.ring();
    }
  }

  function start(work: ClaimedWork, faculty: Faculty, leasedAtMs: number): void {
    const control = createFocusControl();
    running.set(work.id, { work, control, leasedAtMs });
    count('work.state_transitions', 1, { faculty: work.faculty, from: 'queued', to: 'claimed' });
    const done = means
      .runFocus(work, faculty, control)
      .catch((error: unknown) => log.error({ work_item_id: work.id, error: messageOf(error) }, 'a focus broke down'))
      .finally(() => {
        running.delete(work.id);
        finished.delete(done);
        wake.ring();
      });
    finished.add(done);
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
