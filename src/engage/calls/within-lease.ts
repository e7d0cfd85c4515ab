/** Keeps results and paid answers of a focus while the database is briefly unreachable. */
import { isAnimusError } from '../../core/errors/errors.ts';
import { abortable } from '../../core/lifecycle/abortable.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';

const FIRST_PAUSE_MS = 50;
const MAX_PAUSE_MS = 1_000;

/**
 * Calls `write`, and retries while the database cannot be reached (`db.unreachable`), after 50, 100 … at most 1,000 ms. Retries end with
 * the focus: the heartbeat aborts `signal` before the lease ends, so no retry needs to be fenced. A try that hangs on a dead network
 * is then abandoned. `write` must be idempotent: the response to a try may have been lost. Rejects with the signal's reason, or with
 * the first failure of another kind.
 */
export async function withinLease<T>(write: () => Promise<T>, signal: AbortSignal): Promise<T> {
  for (let pauseMs = FIRST_PAUSE_MS; ; pauseMs = Math.min(2 * pauseMs, MAX_PAUSE_MS)) {
    signal.throwIfAborted();
    try {
      return await abortable(write(), signal);
    } catch (error) {
      if (!isAnimusError(error, 'db.unreachable')) throw error;
    }
    await systemClock.sleep(pauseMs, signal);
  }
}
