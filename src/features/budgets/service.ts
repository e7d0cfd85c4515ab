/** Adds up by day what model calls have cost, so that no call has to lock the sum that all of them share. */
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import { countSpend } from '../../telemetry/metrics.ts';
import { type AddedSpend, addUpSpend } from './add-up-spend.ts';

/** Between two rounds; `animus.spend` is exact at every moment, so this only bounds how many rows it adds up itself. */
const INTERVAL_MS = 15_000;
/** Calls per transaction. */
const BATCH = 10_000;

const NOTHING = { lost_usd: 0, unpriced_calls: 0 };

/** Any number of daemons may do it at once: each takes the calls that no other has taken. */
export function createSpendRollUp({ db, clock, log }: Pick<PartOfDaemon, 'db' | 'clock' | 'log'>): Service {
  const loop = createLoop(run);
  /** By faculty and model: what was counted as lost and was not. A counter only rises, so the next losses are counted without it. */
  const owed = new Map<string, Pick<AddedSpend, 'lost_usd' | 'unpriced_calls'>>();

  async function run(stopping: AbortSignal): Promise<void> {
    for (;;) {
      await clock.sleep(INTERVAL_MS * (0.5 + Math.random()), stopping);
      if (stopping.aborted) return;
      try {
        let added: number | null;
        do added = await addUp();
        while (added === BATCH && !stopping.aborted);
      } catch (error) {
        log.warn({ error: messageOf(error) }, 'could not add up the spend; the next round tries again');
      }
    }
  }

  /** The metrics count what this daemon has added up, so that all of them together count everything once, no matter who spent it. */
  async function addUp(): Promise<number | null> {
    const { count, added } = await addUpSpend(db, BATCH);
    for (const { faculty, model, ...sums } of added) {
      const key = JSON.stringify([faculty, model]);
      const { lost_usd: lost, unpriced_calls: unpriced } = owed.get(key) ?? NOTHING;
      const told = { ...sums, lost_usd: sums.lost_usd + lost, unpriced_calls: sums.unpriced_calls + unpriced };
      countSpend(told, { faculty, model });
      const rest = { lost_usd: Math.min(told.lost_usd, 0), unpriced_calls: Math.min(told.unpriced_calls, 0) };
      if (rest.lost_usd < 0 || rest.unpriced_calls < 0) owed.set(key, rest);
      else owed.delete(key);
    }
    return count;
  }

  return loop;
}
