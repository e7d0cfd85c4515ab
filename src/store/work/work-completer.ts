/** Batches ends of work: while one statement is running, further ends wait and are sent together in the next. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { type CompletedWork, completeBatch } from './work.ts';

export interface WorkCompleter {
  /**
   * Completes one item; resolves when that is committed. Adds no delay: a first end is sent at once. Each item is protected by
   * its own token. Errors: `work.lease_lost` for this item alone; `work.locked` for this item alone, when another transaction
   * keeps its row locked; those of the connection for every item that was on its way. The last two may be tried again
   * (idempotent).
   */
  complete(work: CompletedWork): Promise<void>;
}

/** Creates a completer. `most`: maximum number of items per statement; default 100. No statement waits longer than 200 ms for row locks of others. */
export function createWorkCompleter(db: Queryable, most = 100): WorkCompleter {
  let waiting: { work: CompletedWork; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let sending = false;

  function start(): void {
    if (sending || waiting.length === 0) return;
    sending = true;
    // In a microtask, so that simultaneous completions share even the first statement. `send` itself never rejects; it rejects the callers.
    queueMicrotask(() => void send());
  }

  async function send(): Promise<void> {
    while (waiting.length > 0) await sendOne();
    sending = false;
  }

  async function sendOne(): Promise<void> {
    const batch = waiting.slice(0, most);
    waiting = waiting.slice(most);
    try {
      const results = await completeBatch(
        db,
        batch.map((one) => one.work),
      );
      for (const [n, { work, resolve, reject }] of batch.entries()) {
        const result = results[n];
        if (result === 'completed') resolve();
        else if (result === 'locked')
          reject(new AnimusError('work.locked', { id: work.id, detail: lockedDetail(work.id) }));
        else reject(new AnimusError('work.lease_lost', { id: work.id }));
      }
    } catch (error) {
      for (const { reject } of batch) reject(error);
    }
  }

  return {
    complete: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        start();
      }),
  };
}

function lockedDetail(id: string): string {
  return `work item ${id} is locked by another transaction`;
}
