/** Gives back work whose end the database refuses: because of a trigger or check of an application, a rule, or a sequence that is behind its table. */
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import type { LastAnswer } from '../../../engage/turn/record-answer.ts';
import type { Database } from '../../../store/sql/database.ts';
import { sqlState } from '../../../store/sql/database-errors.ts';
import { type ClaimedWork, releaseWork } from '../../../store/work/work.ts';
import type { Log } from '../../../telemetry/log.ts';

/** What foci report of their ends. */
export interface Ends {
  /** The database has refused the end of an item. */
  refused(workItemId: string, error: unknown): void;
  /** It has taken one. */
  written(workItemId: string): void;
}

/** Between two tries to record the end. */
const AGAIN_SECONDS = 60;

/** The end of a focus whose item goes on later. */
export interface Released {
  readonly kind: 'released';
  readonly delaySeconds: number;
  readonly reason: string;
  /** As in `releaseWork`. */
  readonly cause: string;
  /** The provider is failing: claim nothing more for this faculty until the delay is over. */
  readonly holdFaculty: boolean;
  /** True: it counts as a failed attempt, and the same focus continues if there is another one. Default false. */
  readonly usesAttempt?: boolean;
}

/** Whether the server answered and refused the statement itself: its lease, its row and its connection were all right. */
export function isRefusal(error: unknown): boolean {
  return sqlState(error) !== undefined && !isAnimusError(error, 'db.unreachable', 'work.locked', 'work.lease_lost');
}

/**
 * Keeps the last answer, which is paid for, and gives the work back without using up an attempt: nothing is wrong with it. Its focus goes on later, and
 * tries its end again. Null: the database refuses that, too.
 */
export async function giveBack(
  end: { readonly kind: string; readonly lastAnswer?: LastAnswer },
  error: unknown,
  work: ClaimedWork,
  { db, log }: { readonly db: Database; readonly log: Log },
): Promise<Released | null> {
  const reason = `the database refuses to record its end: ${messageOf(error)}`;
  const released: Released = {
    kind: 'released',
    delaySeconds: AGAIN_SECONDS,
    reason,
    cause: 'work.end_refused',
    holdFaculty: false,
  };
  try {
    if (end.lastAnswer !== undefined) await end.lastAnswer.record();
    await releaseWork(db, work, released);
  } catch (cause) {
    log.debug({ work_item_id: work.id, error: messageOf(cause) }, 'the work could not be given back');
    return null;
  }
  log.error(
    { work_item_id: work.id, end: end.kind, error: messageOf(error), seconds: AGAIN_SECONDS },
    'the database refuses to record the end of a focus; its work is given back, and the end is tried again later',
  );
  return released;
}
