/** Runs again what another transaction has undone. */
import { systemClock } from '../../core/lifecycle/clock.ts';
import { isUndone } from '../sql/database-errors.ts';

const MOST_TRIES = 7;
/** Before the first of these tries, in milliseconds; doubled before each further one: 1.3 s in all. */
const FIRST_PAUSE_MS = 10;

/** Runs `write`, which was undone once, until a try is not. Errors: those of the last of 7 tries, and at once any other than isUndone. */
export async function untilDone<T>(write: () => Promise<T>): Promise<T> {
  for (let tries = 1, pauseMs = FIRST_PAUSE_MS; ; tries++, pauseMs *= 2) {
    await systemClock.sleep(pauseMs * (0.5 + Math.random()));
    try {
      return await write();
    } catch (error) {
      if (!isUndone(error) || tries === MOST_TRIES) throw error;
    }
  }
}
