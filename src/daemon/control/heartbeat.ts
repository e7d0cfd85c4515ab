/** Renews the leases of all running foci with one statement, and stops a focus before its lease can expire unnoticed. */

import { messageOf } from '../../core/errors/errors.ts';
import { elapsedMs, momentOf } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { leasesLeft, type Renewal, renewLeases } from '../../store/work/claimed/leases.ts';
import type { ServiceBase } from '../parts/service-base.ts';
import type { RunningFocus } from './focus-lease.ts';

interface RenewingDaemon extends ServiceBase {
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
/** Processes of a machine that has slept are killed a few seconds later, unless their lease is renewed: this process must notice it sooner. */
const MAX_TICK_MS = 1000;
/** With less of a lease left, its row is looked at: a write of the focus may have renewed it, or be about to. */
const LOOK_SHARE = 0.5;
/** With less of it left, a lease is renewed beside the heartbeat. */
const URGENT_SHARE = 1 / 3;
/** With more of it left, a lease can wait for the next heartbeat. */
const FRESH_SHARE = 2 / 3;
/** Between two tries for leases that could not be renewed: from the first, doubled, to the last. */
const FIRST_RETRY_MS = 50;
const LAST_RETRY_MS = 250;

/**
 * Sends a heartbeat every third of the lease, at least every 30 s. What it could not renew, because the row was locked or the database did not
 * answer, is tried again within a second. From half of the lease on, the rows are looked at every second or tenth of it, which waits for no commit. A daemon
 * that cannot renew aborts its foci at 80 % of the lease, while the lease still holds, except those whose own write waits for its commit.
 * After a pause of the whole process it asks first: the lease is lost only where another daemon has taken it. The supervisor kills their
 * processes when the lease ends, even when this process is frozen.
 */
export function createHeartbeat(daemon: RenewingDaemon): Heartbeat {
  const { clock, log, running } = daemon;
  const leaseMs = daemon.leaseSeconds * 1000;
  const betweenMs = Math.min(leaseMs / 3, MAX_PAUSE_MS);
  const tickMs = Math.min(leaseMs / 10, MAX_TICK_MS);
  const loop = createLoop((stopping) => Promise.all([run(stopping), watch(stopping)]));
  let troubled = false;
  /** Foci whose row somebody keeps locked, and that this was said of. */
  const stuck = new WeakSet<RunningFocus>();

  async function run(stopping: AbortSignal): Promise<void> {
    while (!stopping.aborted) {
      const begun = momentOf(clock);
      let missed = await renew([...running.values()], daemon.daemonId);
      // Where commits are slow, a heartbeat keeps the rows for as long as it takes: the foci get as long for their own writes.
      const tookMs = elapsedMs(clock, begun);
      const pauseMs = Math.max(betweenMs, tookMs + Math.min(tookMs, betweenMs));
      const leftMs = () => pauseMs - elapsedMs(clock, begun);
      for (let retryMs = FIRST_RETRY_MS; missed.length > 0 && leftMs() > retryMs; retryMs = nextPauseMs(retryMs)) {
        await clock.sleep(retryMs, stopping);
        if (stopping.aborted) return;
        missed = await renew(missed.filter(isRunning), null);
      }
      await clock.sleep(Math.max(0, leftMs()), stopping);
    }
  }

  /** Returns those that have to be tried again soon: they are not renewed, and no write of their focus has renewed them either. `daemonId`: as of `renewLeases`. Never rejects. */
  async function renew(foci: readonly RunningFocus[], daemonId: string | null): Promise<readonly RunningFocus[]> {
    const asked = momentOf(clock);
    const byId = new Map(foci.map((focus) => [focus.work.id, focus]));
    try {
      const works = foci.map(({ work }) => work);
      const renewals = await renewLeases(daemon.db, daemonId, works, daemon.leaseSeconds);
      troubled = false;
      return renewals.flatMap((renewal) => {
        const focus = byId.get(renewal.workItemId);
        // The item was released and claimed again meanwhile: the report is about a lease that this daemon itself has
        // released.
        if (!focus || !isRunning(focus)) return [];
        focus.lease.take(renewal, asked);
        if (renewal.lockedBy === undefined) stuck.delete(focus);
        else warnOfLocked(focus, renewal);
        return renewal.lockedBy === undefined || focus.lease.leftMs() > FRESH_SHARE * leaseMs ? [] : [focus];
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

  /** A write of the focus renews the lease itself, and who had the row a moment ago may have ended: only another transaction that keeps it is worth a message. */
  function warnOfLocked(focus: RunningFocus, { lockedBy = null, byOwner = false, refused }: Renewal): void {
    if (refused !== undefined && !stuck.has(focus)) {
      stuck.add(focus);
      const fields = { work_item_id: focus.work.id, faculty: focus.work.faculty, error: refused };
      log.warn(
        fields,
        'the lease of this work item cannot be renewed, because the database refuses to change its row; other leases are',
      );
    }
    if (lockedBy === null || byOwner || focus.lease.leftMs() > 0.3 * leaseMs) return;
    if (stuck.has(focus) || focus.control.signal.aborted) return;
    stuck.add(focus);
    log.warn(
      { work_item_id: focus.work.id, locked_by: lockedBy, seconds_left: Math.round(focus.lease.leftMs() / 1000) },
      'less than a third of the lease is left: a transaction keeps the work item locked; look for the process id in pg_stat_activity',
    );
  }

  /** Drops what could not be renewed, although this process was running all the time. */
  async function watch(stopping: AbortSignal): Promise<void> {
    let seen = momentOf(clock);
    let looking: Promise<void> | null = null;
    let urgent: Promise<unknown> | null = null;
    const woken: Promise<unknown>[] = [];
    while (!stopping.aborted) {
      await clock.sleep(tickMs, stopping);
      // Late: the process was frozen, or the machine slept, or somebody has set its clock. The database is asked first who has the leases.
      if (elapsedMs(clock, seen) > 3 * tickMs) woken.push(renew([...running.values()], daemon.daemonId));
      else {
        const low = [...running.values()].filter(({ lease }) => lease.leftMs() < LOOK_SHARE * leaseMs);
        if (low.length > 0) {
          looking ??= look(low).finally(() => {
            looking = null;
          });
          await Promise.race([looking, clock.sleep(tickMs / 2, stopping)]);
          // The heartbeat may wait for the commit of others, whose rows were free when it began.
          const free = low.filter(
            (focus) => isRunning(focus) && focus.lease.leftMs() < URGENT_SHARE * leaseMs && !focus.lease.isWritten(),
          );
          if (free.length > 0) {
            urgent ??= renew(free, null).finally(() => {
              urgent = null;
            });
          }
        }
        dropExpiring();
      }
      seen = momentOf(clock);
    }
    await Promise.all([looking, urgent, ...woken]);
  }

  /** Takes over what the rows say, without locking them. Never rejects. */
  async function look(foci: readonly RunningFocus[]): Promise<void> {
    const asked = momentOf(clock);
    const works = foci.map(({ work }) => work);
    const renewals = await leasesLeft(daemon.db, works).catch(() => []);
    for (const [n, renewal] of renewals.entries()) if (isRunning(foci[n]!)) foci[n]!.lease.take(renewal, asked);
  }

  function dropExpiring(): void {
    for (const { lease, control } of running.values()) {
      // The write of an end tells by itself whether the lease was lost.
      if (lease.holds() || lease.isWritten() || control.isSettling() || control.signal.aborted) continue;
      lease.drop();
    }
  }

  return {
    ...loop,
    async beat() {
      await renew([...running.values()], daemon.daemonId);
    },
  };
}

function nextPauseMs(pauseMs: number): number {
  return Math.min(2 * pauseMs, LAST_RETRY_MS);
}
