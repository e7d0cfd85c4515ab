/** Renews the leases of all running foci with one statement, and stops a focus before its lease can expire unnoticed. */

import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { ProcessHost } from '../../process/process-host.ts';
import type { Database } from '../../store/sql/database.ts';
import { extendLeases, type LeaseReport } from '../../store/work/work.ts';
import type { Log } from '../../telemetry/log.ts';
import type { RunningFocus } from './slots.ts';

export interface HeartbeatMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
  readonly daemonId: string;
  readonly leaseSeconds: number;
  readonly running: ReadonlyMap<string, RunningFocus>;
  readonly processes: ProcessHost;
}

export interface Heartbeat extends Service {
  /** Sends a heartbeat now, because a cancel was notified. */
  beat(): Promise<void>;
}

/** Other daemons treat a daemon as gone when it was not seen for two minutes, whatever the length of its leases. */
const MAX_PAUSE_MS = 30_000;

/**
 * Sends a heartbeat every third of the lease, at least every 30 s. A daemon that cannot renew aborts its foci at 80 % of the lease, while
 * the lease still holds. The supervisor kills their processes when the lease ends, even when this process is frozen.
 */
export function createHeartbeat(means: HeartbeatMeans): Heartbeat {
  const { clock, log, running } = means;
  const leaseMs = means.leaseSeconds * 1000;
  const stopping = new AbortController();
  const renewedMs = new Map<string, number>();
  let loop: Promise<void> | null = null;

  async function run(): Promise<void> {
    while (!stopping.signal.aborted) {
      const renewing = beat();
      // A hanging statement (a cut network) must not hide that the lease is about to expire.
      const watching = watch(renewing);
      await Promise.all([renewing, watching]);
      await clock.sleep(Math.min(leaseMs / 3, MAX_PAUSE_MS), stopping.signal);
    }
  }

  async function beat(): Promise<void> {
    const startedMs = clock.monotonicMs();
    const asked = new Map(running);
    const leases = [...asked.values()].map(({ work }) => work);
    try {
      const reports = await extendLeases(means.db, means.daemonId, leases, means.leaseSeconds);
      warnOfLocked(leases, reports);
      for (const report of reports) {
        const focus = asked.get(report.workItemId);
        // The item was released and claimed again meanwhile: the report is about a lease that this daemon itself has
        // released.
        if (!focus || focus !== running.get(report.workItemId)) continue;
        if (!report.held) {
          log.warn({ work_item_id: report.workItemId }, 'the lease is lost: another daemon has the work item');
          focus.control.abort('lease_lost');
        } else if (report.cancelRequested) {
          focus.control.abort('cancelled');
        } else {
          renewedMs.set(report.workItemId, startedMs);
          means.processes.setDeadline(report.workItemId, leaseMs - (clock.monotonicMs() - startedMs));
        }
      }
    } catch (error) {
      log.error({ error: messageOf(error) }, 'cannot renew the leases; trying again');
    }
    for (const id of renewedMs.keys()) {
      if (!running.has(id)) renewedMs.delete(id);
    }
    dropExpiring();
  }

  /** Neither renewed nor lost: the focus continues until its lease expires or a later heartbeat renews it. */
  function warnOfLocked(leases: readonly { readonly id: string }[], reports: readonly LeaseReport[]): void {
    const answered = new Set(reports.map((report) => report.workItemId));
    for (const { id } of leases.filter((lease) => !answered.has(lease.id))) {
      log.warn(
        { work_item_id: id },
        'the lease was not renewed: another transaction has locked the work item; look for an `idle in transaction` session in pg_stat_activity',
      );
    }
  }

  async function watch(renewing: Promise<void>): Promise<void> {
    const done = new AbortController();
    const finished = renewing.finally(() => done.abort());
    while (!done.signal.aborted) {
      await clock.sleep(leaseMs / 10, done.signal);
      dropExpiring();
    }
    await finished;
  }

  function dropExpiring(): void {
    for (const [id, focus] of running) {
      const sinceMs = clock.monotonicMs() - Math.max(renewedMs.get(id) ?? 0, focus.leasedAtMs);
      if (sinceMs < 0.8 * leaseMs || focus.control.signal.aborted) continue;
      log.error({ work_item_id: id }, 'the lease could not be renewed in time; stopping the focus');
      focus.control.abort('lease_lost');
    }
  }

  return {
    beat,
    async start() {
      loop = run();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
