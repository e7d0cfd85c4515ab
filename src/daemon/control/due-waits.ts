/** Resolves waits whose deadline has passed, so that their items can be claimed. */
import { isAnimusError, messageOf } from '../../core/errors/errors.ts';
import { sqlState } from '../../store/sql/database-errors.ts';
import { resolveDueWaits } from '../../store/transcript/waits.ts';
import type { ItemFault } from '../../store/work/claimed/claim-faults.ts';
import type { ServiceBase } from '../parts/service-base.ts';

interface WaitResolver extends Pick<ServiceBase, 'db' | 'clock'> {
  readonly pollMs: () => number;
  /** Items of which no wait could be resolved. */
  readonly onFaults: (faults: readonly ItemFault[]) => void;
  /** Why no wait can be resolved; null: they can. */
  readonly onProblem: (problem: string | null) => void;
}

export interface DueWaits {
  /**
   * Resolves what is due. Returns the time until the next pass. Does not reject because of the waits: work that does not wait goes on. Errors: those of
   * the connection.
   */
  resolve(): Promise<number>;
  /** Somebody has begun to wait: the timer may be due before the next pass. */
  lookSoon(): void;
}

/** How many items one pass resolves waits for. A pass stays short, and the next one follows at once. */
const WAITS_PER_LOOK = 100;
/** Pause between two passes: a locked item stays due, and must not be polled in a tight loop. */
const MIN_WAITS_PAUSE_MS = 50;

export function createDueWaits({ db, clock, pollMs, onFaults, onProblem }: WaitResolver): DueWaits {
  let lookAtMs = 0;

  async function look(): Promise<number> {
    try {
      const { nextDueMs, faults } = await resolveDueWaits(db, WAITS_PER_LOOK);
      if (faults !== undefined) onFaults(faults);
      onProblem(null);
      return Math.max(MIN_WAITS_PAUSE_MS, Math.min(pollMs(), nextDueMs ?? pollMs()));
    } catch (error) {
      if (sqlState(error) === undefined || isAnimusError(error, 'db.unreachable')) throw error;
      onProblem(messageOf(error));
      return Math.max(MIN_WAITS_PAUSE_MS, pollMs());
    }
  }

  return {
    async resolve() {
      // Thousands of notifications arrive under load; they do not change any deadline.
      if (clock.monotonicMs() >= lookAtMs) {
        const pauseMs = await look();
        lookAtMs = clock.monotonicMs() + pauseMs;
      }
      return Math.max(0, lookAtMs - clock.monotonicMs());
    },
    lookSoon() {
      lookAtMs = 0;
    },
  };
}
