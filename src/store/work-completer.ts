/** Ends of work, gathered: while one statement is on its way to the database, further ends wait and go together in the next. */
import { AnimusError } from '../core/errors.ts';
import type { Queryable } from './database.ts';
import { type CompletedWork, completeWorks } from './work.ts';

export interface WorkCompleter {
  /**
   * Ends one item as completed; resolves when that is committed. Nothing is delayed: a first end goes out at once. Each item is
   * protected by its own token. Errors: `work.lease_lost` for this item alone; those of the connection for every item that
   * was on its way, which may then be tried again (idempotent).
   */
  complete(work: CompletedWork): Promise<void>;
}

/** `most` items in one statement at most; default 100. */
export function createWorkCompleter(db: Queryable, most = 100): WorkCompleter {
  let waiting: { work: CompletedWork; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let sending = false;

  async function send(): Promise<void> {
    sending = true;
    while (waiting.length > 0) {
      const batch = waiting.slice(0, most);
      waiting = waiting.slice(most);
      try {
        const completed = await completeWorks(
          db,
          batch.map((one) => one.work),
        );
        for (const [n, { work, resolve, reject }] of batch.entries()) {
          if (completed[n]) resolve();
          else reject(new AnimusError('work.lease_lost', { id: work.id }));
        }
      } catch (error) {
        for (const { reject } of batch) reject(error);
      }
    }
    sending = false;
  }

  return {
    complete: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        // In a microtask: ends of the same moment go together from the first statement on. `send` rejects nobody but the callers.
        if (!sending) {
          sending = true;
          queueMicrotask(() => void send());
        }
      }),
  };
}
