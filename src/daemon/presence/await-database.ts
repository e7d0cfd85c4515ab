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
 * Runs `use` until the database answers, for ever: `db.unreachable` (nobody there, starting, full, read-only) is tried again,
 * everything else is thrown on, as what no waiting mends. Null when the waiting was ended. `use` must be repeatable.
 */
export async function untilReachable<T>(use: () => Promise<T>, means: AwaitDatabaseMeans): Promise<T | null> {
  const { clock, log, ending } = means;
  let saidAtMs: number | null = null;
  for (let pauseMs = 250; !ending.aborted; pauseMs = Math.min(pauseMs * 2, MAX_PAUSE_MS)) {
    try {
      const result = await use();
      if (saidAtMs !== null) log.info({}, 'the database answers');
      return result;
    } catch (error) {
      if (!isAnimusError(error, 'db.unreachable')) throw error;
      if (saidAtMs === null || clock.monotonicMs() - saidAtMs >= REMIND_MS) {
        saidAtMs = clock.monotonicMs();
        log.warn({ error: messageOf(error) }, 'waiting for the database; work begins when it answers');
      }
    }
    await clock.sleep(pauseMs, ending);
  }
  return null;
}
