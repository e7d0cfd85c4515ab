/** A daemon is often started beside its database, or before it: it waits and says so. */

import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Log } from '../../telemetry/log.ts';

export interface AwaitDatabaseMeans {
  readonly clock: Clock;
  readonly log: Log;
  /** Ends the waiting. */
  readonly ending: AbortSignal;
}

/** Between two tries at most; the first follows after a quarter of a second. */
const MAX_PAUSE_MS = 5_000;
/** How often it is said again that nobody answers. */
const REMIND_MS = 30_000;

/**
 * Takes the steps of a start, in order, each as often as it takes until the database answers; what is done is not done again.
 * False when the waiting was ended. Rejects with the failure of a step that no waiting mends.
 */
export async function takeSteps(
  steps: readonly (() => Promise<unknown>)[],
  means: AwaitDatabaseMeans,
): Promise<boolean> {
  for (const step of steps) {
    if (!(await untilReachable(step, means))) return false;
  }
  return true;
}

/**
 * Runs `use` until the database answers, for ever: `db.unreachable` (nobody there, starting, full, read-only) is tried again,
 * everything else is thrown on, as what no waiting mends. False when the waiting was ended. `use` must be repeatable.
 */
async function untilReachable(use: () => Promise<unknown>, means: AwaitDatabaseMeans): Promise<boolean> {
  const { clock, log, ending } = means;
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
