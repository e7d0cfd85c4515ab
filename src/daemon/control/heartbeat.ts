/** Renews the leases of all running foci with one statement, and stops a focus before its lease can expire unnoticed. */

import { messageOf } from '../../core/errors/errors.ts';
import { type Clock, elapsedMs, momentOf } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Database } from '../../store/sql/database.ts';
import { type Renewal, renewLeases } from '../../store/work/leases.ts';
import type { Log } from '../../telemetry/log.ts';
import type { RunningFocus } from './slots.ts';

export interface HeartbeatMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly daemonId: string;
  readonly leaseSeconds: number;
  readonly running: ReadonlyMap<string, RunningFocus>;
}

export interface Heartbeat extends Service {
  /** Sends a heartbeat now, because a cancel was notified. */
  beat(): Promise<void>;
}

/** Other daemons treat a daemon as gone when it was not seen for two minutes, whatever the length of its leases. */
const MAX_PAUSE_MS = 30_000;
/** Between two tries for leases that could not be renewed: from the first, doubled, to the last. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 250;

/**
 * Sends a heartbeat every third of the lease, at least every 30 s. What it could not renew, because the row was locked or the database did not
 * answer, is tried again within a second. A daemon that cannot renew aborts its foci at 80 % of the lease, while the lease still holds.
 * After a pause of the whole process it asks first: the lease is lost only where another daemon has taken it. The supervisor kills their
 * processes when the lease ends, even when this process is frozen.
 */
export function createHeartbeat(means: HeartbeatMeans): Heartbeat {
  const { clock, log, running } = means;
  const leaseMs = means.leaseSeconds * 1000;
  const betweenMs = Math.min(leaseMs / 3, MAX_PAUSE_MS);
  const tickMs = leaseMs / 10;
  const stopping = new AbortController();
  let loops: Promise<unknown> | null = null;
  let troubled = false;
  /** Foci whose row somebody keeps locked, and that this was said of. */
  const stuck = new WeakSet<RunningFocus>();

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const begun = momentOf(clock);
      const leftMs = () => betweenMs - elapsedMs(clock, begun);
      let missed = await renew([...running.values()], means.daemonId);
      for (let pauseMs = FIRST_RETRY_MS; missed.length > 0 && leftMs() > pauseMs; pauseMs = nextPauseMs(pauseMs)) {
        await clock.sleep(pauseMs, stopping.signal);
        if (stopping.signal.aborted) return;
        missed = await renew(missed.filter(isRunning), null);
      }
      await clock.sleep(Math.max(0, leftMs()), stopping.signal);
    }
  }

  /** Returns those that are not renewed. `daemonId`: as of `renewLeases`. Never rejects. */
  async function renew(foci: readonly RunningFocus[], daemonId: string | null): Promise<readonly RunningFocus[]> {
    const asked = momentOf(clock);
    const byId = new Map(foci.map((focus) => [focus.work.id, focus]));
    try {
      const works = foci.map(({ work }) => work);
      const renewals = await renewLeases(means.db, daemonId, works, means.leaseSeconds);
      troubled = false;
      return renewals.flatMap((renewal) => {
        const focus = byId.get(renewal.workItemId);
        // The item was released and claimed again meanwhile: the report is about a lease that this daemon itself has
        // released.
        if (!focus || !isRunning(focus)) return [];
        focus.lease.take(renewal, asked);
        if (renewal.lockedBy === undefined) stuck.delete(focus);
        else warnOfLocked(focus, renewal);
        return renewal.lockedBy === undefined ? [] : [focus];
      });
    } catch (error) {
      if (!troubled) log.error({ error: messageOf(error) }, 'cannot renew the leases; trying again');
      troubled = true;
      return foci;
    }
  }

  function isRunning(focus: RunningFocus): boolean {
    return running.get(focus.work.id) === focus;
  }

  /** While a write of the focus has the row locked, that write renews the lease: only a lease that runs out is worth a word. */
  function warnOfLocked(focus: RunningFocus, { lockedBy }: Renewal): void {
    if (focus.lease.leftMs() > 0.3 * leaseMs || stuck.has(focus) || focus.control.signal.aborted) return;
    stuck.add(focus);
    log.warn(
      { work_item_id: focus.work.id, locked_by: lockedBy, seconds_left: Math.round(focus.lease.leftMs() / 1000) },
      'less than a third of the lease is left: a transaction keeps the work item locked; look for the process id in pg_stat_activity',
    );
  }

  /** Drops what could not be renewed, although this process was running all the time. */
  async function watch(): Promise<void> {
    let seen = momentOf(clock);
    const woken: Promise<unknown>[] = [];
    while (!stopping.signal.aborted) {
      await clock.sleep(tickMs, stopping.signal);
      // Late: the process was frozen, or the machine slept, or somebody has set its clock. Whoever has the leases is asked first.
      if (elapsedMs(clock, seen) > 3 * tickMs) woken.push(renew([...running.values()], means.daemonId));
      else dropExpiring();
      seen = momentOf(clock);
    }
    await Promise.all(woken);
  }

  function dropExpiring(): void {
    for (const { lease, control } of running.values()) if (!lease.holds() && !control.signal.aborted) lease.drop();
  }

  return {
    async beat() {
      await renew([...running.values()], means.daemonId);
    },
    async start() {
      loops = Promise.all([run(), watch()]);
    },
    async stop() {
      stopping.abort();
      await loops;
    },
  };
}

function nextPauseMs(pauseMs: number): number {
  return Math.min(2 * pauseMs, LAST_RETRY_MS);
}
