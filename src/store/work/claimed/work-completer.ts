/** Batches ends of work. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../sql/database.ts';
import { batchWrites } from '../../sql/write-batcher.ts';
import { type CompletedWork, type Completion, completeBatch } from './complete-batch.ts';

export interface WorkCompleter {
  /**
   * Completes one item, with the answer that ends it, or queues it again with messages that came before the end; resolves when that is committed. Adds no delay: a first end is sent at
   * once. Each item is protected by its own token. Errors: `work.lease_lost` for this item alone; `work.locked` for this item alone, when another transaction
   * keeps its row locked; those of the connection for every item that was on its way. The last two may be tried again
   * (idempotent).
   */
  complete(work: CompletedWork): Promise<Exclude<Completion, 'lost' | 'locked'>>;
}

/** Creates a completer. `most`: maximum number of items per statement; default 100. No statement waits longer than 200 ms for row locks of others. */
export function createWorkCompleter(db: Queryable, most = 100): WorkCompleter {
  const complete = batchWrites((batch: readonly CompletedWork[]) => completeBatch(db, batch), most);
  return {
    async complete(work) {
      const result = await complete(work);
      const held = `work item ${work.id}`;
      if (result === 'lost') throw new AnimusError('work.lease_lost', { held });
      if (result === 'locked') {
        throw new AnimusError('work.locked', { id: work.id, detail: `${held} is locked by another transaction` });
      }
      return result;
    },
  };
}
