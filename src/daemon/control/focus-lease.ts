/** What a daemon knows about the lease of one of its items. The database decides; this says when it has to be asked. */
import { AnimusError } from '../../core/errors/errors.ts';
import { elapsedMs, type Moment, momentOf } from '../../core/lifecycle/clock.ts';
import { type Lease, MARGIN_SHARE } from '../../core/lifecycle/lease.ts';
import type { ProcessHost } from '../../process/process-host.ts';
import { leasesLeft, type Renewal, renewLeases } from '../../store/work/claimed/leases.ts';
import type { ClaimedWork } from '../../store/work/work.ts';
import { abortReason, type FocusControl } from '../focus/scope/focus-control.ts';
import type { ServiceBase } from '../parts/service-base.ts';

export interface FocusLease extends Lease {
  /** Takes what the database has answered to a question that was sent at `asked`: stops the focus if the lease is lost or a cancel is requested. */
  take(renewal: Renewal, asked: Moment): void;
  /** Stops the focus: nobody could renew its lease in time. */
  drop(): void;
  /** How long it lasts, in milliseconds, by what is known; the margin included. */
  leftMs(): number;
  /** A write of this daemon has the row locked until it is committed, by the last look at it: nobody can take the item before. */
  isWritten(): boolean;
}

/** A focus of this daemon, running or waiting for a slot. */
export interface RunningFocus {
  readonly work: ClaimedWork;
  readonly control: FocusControl;
  readonly lease: FocusLease;
}

export interface LeaseHolder extends ServiceBase {
  readonly processes: Pick<ProcessHost, 'setDeadline'>;
  readonly leaseSeconds: number;
}

/** How long a look at the row counts: a part of the lease. Heartbeats look every tenth of it, so a database that does not answer ends it soon. */
const LOOK_SHARE = 0.25;
/** Between two questions, while the row is locked or the database does not answer. */
const ASK_MS = 100;

/** The lease of an item that was claimed by a statement sent at `claimed`. */
export function createFocusLease(
  holder: LeaseHolder,
  work: Pick<ClaimedWork, 'id' | 'leaseToken'>,
  control: FocusControl,
  claimed: Moment,
): FocusLease {
  const { db, clock, log, leaseSeconds } = holder;
  const leaseMs = leaseSeconds * 1000;
  let known = { from: claimed, forMs: leaseMs };
  let written: Moment | null = null;
  let asking: Promise<void> | null = null;
  let lost = false;

  const leftMs = () => known.forMs - elapsedMs(clock, known.from);
  const holds = () => leftMs() > MARGIN_SHARE * leaseMs;
  const isWritten = () => written !== null && elapsedMs(clock, written) < LOOK_SHARE * leaseMs;

  function take({ held, cancelRequested, seconds, byOwner = false }: Renewal, asked: Moment): void {
    written = byOwner ? momentOf(clock) : null;
    if (!held) {
      // An item that has ended has no lease either.
      if (control.isSettling()) return;
      if (!control.signal.aborted)
        log.warn(
          { work_item_id: work.id },
          'the lease is lost: the work item has ended, is queued again, or was claimed again',
        );
      lost = true;
      control.abort('lease_lost');
      return;
    }
    if (cancelRequested) control.abort('cancelled');
    const renewed = { from: asked, forMs: seconds * 1000 };
    const renewedMs = renewed.forMs - elapsedMs(clock, asked);
    if (renewedMs <= leftMs()) return;
    known = renewed;
    holder.processes.setDeadline(work.id, renewedMs);
  }

  async function ask(): Promise<void> {
    try {
      // The row says more than is known here if a write of the focus has renewed it, and reading it waits for no commit.
      const looked = momentOf(clock);
      for (const renewal of await leasesLeft(db, [work])) take(renewal, looked);
      if (holds() || lost) return;
      const asked = momentOf(clock);
      for (const renewal of await renewLeases(db, null, [work], leaseSeconds)) take(renewal, asked);
    } catch {
      // The heartbeat says so.
    }
    if (!holds() && !lost) await clock.sleep(ASK_MS);
  }

  async function sure(): Promise<void> {
    const since = momentOf(clock);
    while (!holds()) {
      if (lost || abortReason(control) === 'lease_lost' || (elapsedMs(clock, since) > leaseMs && !isWritten())) {
        throw new AnimusError('work.lease_lost', { held: `work item ${work.id}` });
      }
      asking ??= ask().finally(() => {
        asking = null;
      });
      // A statement on a connection that died meanwhile may hang.
      await Promise.race([asking, clock.sleep(5 * ASK_MS)]);
    }
  }

  return {
    holds,
    sure,
    take,
    leftMs,
    isWritten,
    drop() {
      log.error({ work_item_id: work.id }, 'the lease could not be renewed in time; stopping the focus');
      control.abort('lease_lost');
    },
  };
}
