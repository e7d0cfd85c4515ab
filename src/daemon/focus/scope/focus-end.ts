/** The ends of a focus and how each is written: fenced, and retried while the database is unreachable or the row is locked. */

import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import type { Clock } from '../../../core/lifecycle/clock.ts';
import type { Lease } from '../../../core/lifecycle/lease.ts';
import { estimateTokens } from '../../../core/work/tokens.ts';
import type { WorkState } from '../../../core/work/work.ts';
import type { LastAnswer } from '../../../engage/turn/record-answer.ts';
import { failureNotice } from '../../../engage/verdict/attempt.ts';
import type { HeldOutcome } from '../../../engage/verdict/outcome.ts';
import type { Database } from '../../../store/sql/database.ts';
import { addMessage } from '../../../store/transcript/messages.ts';
import { readTranscript } from '../../../store/transcript/transcript.ts';
import { parkWork } from '../../../store/transcript/waits.ts';
import type { WorkCompleter } from '../../../store/work/claimed/work-completer.ts';
import type { ReleaseReason } from '../../../store/work/release-reason.ts';
import {
  type ClaimedWork,
  type CutOff,
  endCancelled,
  failWork,
  releaseWork,
  type WorkError,
} from '../../../store/work/work.ts';
import type { Log } from '../../../telemetry/log.ts';
import { retryDelaySeconds } from './recovery.ts';
import { type Ends, giveBack, isRefusal, type Released } from './refused-end.ts';

export type FocusEnd =
  | {
      readonly kind: 'completed';
      readonly outcome: HeldOutcome;
      readonly summary: string;
      /** Why messages that came before the end can no longer be read. */
      readonly unread?: string;
      /** The last answer, where it is recorded with this end. */
      readonly lastAnswer?: LastAnswer;
    }
  | {
      readonly kind: 'failed';
      /** `ledger_kept_after`: the next attempt's orientation omits the ledger entries up to this one. */
      readonly error: WorkError & { readonly ledger_kept_after?: number };
      /** The decision of the recover hook; absent: the default policy decides. */
      readonly recovery?: Recovery;
    }
  | Released
  /** Only waiting calls are left of the turn. The item waits, and the focus resumes later, perhaps on another host. */
  | { readonly kind: 'parked' }
  /** `cutOff`: what the model had said of the answer that was under way. */
  | { readonly kind: 'cancelled'; readonly cutOff?: CutOff | null }
  /** The lease is lost: another daemon owns the item, and nothing may be written. */
  | { readonly kind: 'lost' };

/** Why work is released by a daemon that ends. */
export const STOPPED: ReleaseReason = { reason: 'the daemon was stopped', cause: 'daemon.stopped' };

/** Whether to retry after a delay, and what the next attempt starts from. */
export interface Recovery {
  /** Null: dead. */
  readonly retryDelaySeconds: number | null;
  readonly keep: 'ledger' | 'transcript' | 'nothing';
}

export interface EndWriter {
  readonly db: Database;
  /** Batches the completions of all foci of the daemon. */
  readonly completer: WorkCompleter;
  readonly clock: Clock;
  readonly log: Log;
  /** How long writing the end is tried, at least; then for as long as the lease holds. */
  readonly giveUpAfterMs: number;
  readonly lease: Pick<Lease, 'holds'>;
  /** Null where it never began. */
  readonly focusId: string | null;
  readonly ends: Ends;
}

/** How a focus has ended, and the state of its item; null: nothing could be written. */
export interface Settled {
  readonly end: FocusEnd;
  readonly state: WorkState | null;
}

/** The longest pause between two tries to lock the item. */
const LOCKED_PAUSE_MS = 200;

/** Writes the end of a focus. An end that the database refuses becomes a release. */
export async function settle(end: FocusEnd, work: ClaimedWork, faculty: Faculty, reach: EndWriter): Promise<Settled> {
  const deadlineMs = reach.clock.monotonicMs() + reach.giveUpAfterMs;
  for (let pauseMs = 100; ; pauseMs = Math.min(pauseMs * 2, 2000)) {
    try {
      const state = await write(end, work, faculty, reach);
      if (end.kind !== 'lost') reach.ends.written(work.id);
      return { end, state };
    } catch (error) {
      // A retry after a lost acknowledgement ends here, too: the first write had succeeded.
      if (isAnimusError(error, 'work.lease_lost')) {
        reach.log.warn({ work_item_id: work.id, end: end.kind }, 'the lease was lost before the end was recorded');
        return { end, state: null };
      }
      if (isRefusal(error)) {
        reach.ends.refused(work.id, error);
        const released = await giveBack(end, error, work, reach);
        if (released !== null) return { end: released, state: 'scheduled' };
      }
      const over = reach.clock.monotonicMs() > deadlineMs && !reach.lease.holds();
      if (over || !isAnimusError(error, 'db.unreachable', 'work.locked')) {
        reach.log.error(
          { work_item_id: work.id, end: end.kind, error: messageOf(error) },
          'the end of a focus could not be recorded; the work item will be reclaimed when its lease expires',
        );
        return { end, state: null };
      }
      // The database has waited for the lock; on a slow disk it is free for moments only.
      await reach.clock.sleep(isAnimusError(error, 'work.locked') ? Math.min(pauseMs, LOCKED_PAUSE_MS) : pauseMs);
    }
  }
}

async function write(end: FocusEnd, work: ClaimedWork, faculty: Faculty, reach: EndWriter): Promise<WorkState | null> {
  const { db, focusId } = reach;
  switch (end.kind) {
    case 'completed':
      return writeCompletion(end, work, reach);
    case 'failed':
      return writeFailure(end, work, faculty, db, focusId);
    case 'released': {
      const { delaySeconds, reason, cause } = end;
      if (end.usesAttempt === true)
        return failWork(db, work, { code: cause, message: reason, phase: 'engage' }, delaySeconds, 'transcript');
      await releaseWork(db, work, end);
      return delaySeconds > 0 ? 'scheduled' : 'queued';
    }
    case 'parked':
      return parkWork(db, work);
    case 'cancelled':
      await endCancelled(db, work, end.cutOff);
      return 'cancelled';
    case 'lost':
      return null;
    default:
      return end satisfies never;
  }
}

/** Queued again: messages came before the work ended. The same focus goes on with them. */
async function writeCompletion(
  { outcome, summary, unread, lastAnswer }: Extract<FocusEnd, { kind: 'completed' }>,
  work: ClaimedWork,
  { db, completer, focusId }: EndWriter,
): Promise<WorkState> {
  const completed = {
    id: work.id,
    leaseToken: work.leaseToken,
    outcome,
    summary,
    ...(unread !== undefined && { unread }),
  };
  if (lastAnswer && focusId !== null) {
    const { turn, answer } = lastAnswer;
    const result = await completer.complete({ ...completed, last: { focusId, turn, answer } });
    if (result === 'completed') return result;
    const refused = await lastAnswer.record();
    if (refused?.permit === 'cancelled') {
      await endCancelled(db, work);
      return 'cancelled';
    }
    if (refused) {
      const why =
        refused.permit === 'mail'
          ? { reason: 'messages came before the last answer was recorded', cause: 'work.mail' }
          : { reason: 'paused', cause: 'work.paused' };
      await releaseWork(db, work, { delaySeconds: 0, ...why });
      return 'queued';
    }
  }
  return (await completer.complete(completed)) === 'mail' ? 'queued' : 'completed';
}

async function writeFailure(
  end: Extract<FocusEnd, { kind: 'failed' }>,
  work: ClaimedWork,
  faculty: Faculty,
  db: Database,
  focusId: string | null,
): Promise<WorkState> {
  const { recovery } = end;
  if (recovery?.keep === 'transcript' && focusId !== null) return failWithin(focusId, end.error, recovery, work, db);
  if (recovery) return failWork(db, work, end.error, recovery.retryDelaySeconds, recovery.keep);
  return failWork(db, work, end.error, retryDelaySeconds(faculty.recover, work.attempts + 1, Math.random()));
}

/** The same focus continues. The failure notice is written in the transaction that ends the attempt, so exactly once. */
function failWithin(
  focusId: string,
  error: WorkError,
  { retryDelaySeconds: delay, keep }: Recovery,
  work: ClaimedWork,
  db: Database,
): Promise<WorkState> {
  return db.transaction(async (tx) => {
    const key = { workItemId: work.id, leaseToken: work.leaseToken, focusId };
    const { turns } = await readTranscript(tx, focusId);
    const content = failureNotice(error);
    await addMessage(tx, key, { afterTurn: turns.length, kind: 'notice', content }, estimateTokens(content));
    return failWork(tx, work, error, delay, keep);
  });
}
