/** Adds up by day what model calls have cost, so that no call has to lock the sum that all of them share. */
import { messageOf } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { Database } from '../../store/sql/database.ts';
import { rollUpSpend } from '../../store/work/spend.ts';
import type { Log } from '../../telemetry/log.ts';

export interface SpendRollUpMeans {
  readonly db: Database;
  readonly clock: Clock;
  readonly log: Log;
}

/** Between two rounds; `animus.spend` is exact at every moment, so this only bounds how many rows it adds up itself. */
const INTERVAL_MS = 15_000;
/** Calls per transaction. */
const BATCH = 10_000;

/** Any number of daemons may do it at once: each takes the calls that no other has taken. */
export function createSpendRollUp({ db, clock, log }: SpendRollUpMeans): Service {
  const stopping = new AbortController();
  let loop: Promise<void> | null = null;

  async function run(): Promise<void> {
    for (;;) {
      await clock.sleep(INTERVAL_MS * (0.5 + Math.random()), stopping.signal);
      if (stopping.signal.aborted) return;
      try {
        while ((await rollUpSpend(db, BATCH)) === BATCH && !stopping.signal.aborted);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not add up the spend; the next round tries again');
      }
    }
  }

  return {
    async start() {
      loop ??= run();
    },
    async stop() {
      stopping.abort();
      await loop;
    },
  };
}
