/** Books the cost of answers that no focus records, because their focus has ended: the provider charges for them anyway. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { BatchPass } from './batch-pass.ts';
import { unrecordedAnswers, withdrawAnswer } from './store.ts';

/** Those of a place. A locked item comes again in the next pass. */
export async function bookAnswers({ db, log, place, provider, batches }: BatchPass): Promise<void> {
  for (const { id, model, answer } of await unrecordedAnswers(db, place)) {
    const paid = batches.paid(model, answer);
    try {
      await withdrawAnswer(db, id, paid);
    } catch (error) {
      if (!isAnimusError(error, 'work.locked')) throw error;
      continue;
    }
    if (paid !== null) {
      const fields = { provider, request: id, cost_usd: paid.costUsd };
      log.info(fields, 'an answer of a batch came for work that had ended; it counts as spent');
    }
  }
}
