/** Waits for the database, and logs that it does: a daemon is often started together with its database, or before it. */

import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { ServiceBase } from '../parts/service-base.ts';

interface DatabaseWait extends Pick<ServiceBase, 'clock' | 'log'> {
  /** Ends the wait. */
  readonly ending: AbortSignal;
}

/** The longest pause between two attempts; the first pause is a quarter of a second. */
const MAX_PAUSE_MS = 5_000;
/** How often the wait is logged again. */
const REMIND_MS = 30_000;

/**
 * Runs the steps of a start in order. Repeats each until the database answers; a step that is done is not repeated. False
 * when the wait was ended. Rejects with the failure of a step that waiting cannot cure.
 */
export async function takeSteps(steps: readonly (() => Promise<unknown>)[], wait: DatabaseWait): Promise<boolean> {
  for (const step of steps) {
    if (!(await untilReachable(step, wait))) return false;
  }
  return true;
}

/**
 * Runs `use` until the database answers, without a time limit. Retries on `db.unreachable` (not there, starting, full,
 * read-only) and rethrows everything else, because waiting cannot cure it. False when the wait was ended. `use` must be
 * repeatable.
 */
async function untilReachable(use: () => Promise<unknown>, wait: DatabaseWait): Promise<boolean> {
  const { clock, log, ending } = wait;
  let saidAtMs: number | null = null;
  for (let pauseMs = 250; !ending.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      await use();
      if (saidAtMs !== null) log.info({}, 'the database answers');
      return true;
    } catch (error) {
      if (!isAnimusError(error, 'db.unreachable')) throw error;
      if (saidAtMs === null || clock.monotonicMs() - saidAtMs >= REMIND_MS) {
        saidAtMs = clock.monotonicMs();
        log.warn({ error: messageOf(error) }, 'waiting for the database to answer');
      }
    }
    await clock.sleep(pauseMs, ending);
  }
  return false;
}
