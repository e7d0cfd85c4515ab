/** Finds work whose insert sent no notification because every daemon was full, and that was not committed when a slot became free. */
import { messageOf } from '../../core/errors/errors.ts';
import type { Wake } from '../../core/lifecycle/wake.ts';
import { awaitSkipped } from '../../store/work/work.ts';
import type { ServiceBase } from '../parts/service-base.ts';

export interface SkippedInserts {
  /** Rings the wake when no such insert is open any more. Called when a claim was not settled. */
  await(): void;
  /** Resolves when nothing is awaited; at most 0.2 s after `stopping`. */
  ended(): Promise<void>;
}

interface InsertWatch extends ServiceBase {
  readonly wake: Wake;
  readonly stopping: AbortSignal;
  /** Whether the daemon is full (again): the claim that frees it finds what was committed until then. */
  readonly isFull: () => boolean;
  /** The longest pause between two waits. */
  readonly pollMs: () => number;
}

/**
 * A wait occupies a connection for 0.2 s, and a transaction that has inserted work may stay open for hours. So waits alternate with pauses
 * that grow from this.
 */
const MIN_PAUSE_MS = 100;

export function createSkippedInserts({ db, clock, log, wake, stopping, isFull, pollMs }: InsertWatch): SkippedInserts {
  let wanted = false;
  let waiting: Promise<void> | null = null;

  async function wait(): Promise<void> {
    let pauseMs = MIN_PAUSE_MS;
    while (wanted && !stopping.aborted) {
      // A claim may ask again while the statement is running: that is another wait.
      wanted = false;
      const none = await awaitSkipped(db).catch((error: unknown) => {
        log.debug({ error: messageOf(error) }, 'could not wait for transactions that insert work; trying again');
        return false;
      });
      wake.ring();
      if (none || isFull()) continue;
      wanted = true;
      await clock.sleep(pauseMs, stopping);
      pauseMs = Math.min(2 * pauseMs, pollMs());
    }
  }

  return {
    await() {
      wanted = true;
      waiting ??= wait().finally(() => {
        waiting = null;
      });
    },
    async ended() {
      await waiting;
    },
  };
}
