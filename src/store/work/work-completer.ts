/** Ends of work, gathered: while one statement is on its way to the database, further ends wait and go together in the next. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { type CompletedWork, completeWorks } from './work.ts';

export interface WorkCompleter {
  /**
   * Ends one item as completed; resolves when that is committed. Nothing is delayed: a first end goes out at once. Each item is
   * protected by its own token. Errors: `work.lease_lost` for this item alone; those of the connection for every item that
   * was on its way, which may then be tried again (idempotent).
   */
  complete(work: CompletedWork): Promise<void>;
}

/** Statements that may be waiting for somebody else's locks while the next ones go past them: each takes a connection of the pool. */
const MAX_STUCK = 3;

/**
 * `most` items in one statement at most; default 100. A statement that takes longer than `patienceMs`, default 1000, waits for
 * a row that somebody keeps locked: the ends that come after it are sent without waiting for it.
 */
export function createWorkCompleter(db: Queryable, most = 100, patienceMs = 1000): WorkCompleter {
  let waiting: { work: CompletedWork; resolve: () => void; reject: (error: unknown) => void }[] = [];
  let sending = false;
  let stuck = 0;

  function start(): void {
    if (sending || waiting.length === 0) return;
    sending = true;
    // In a microtask: ends of the same moment go together from the first statement on. `send` rejects nobody but the callers.
    queueMicrotask(() => void send());
  }

  async function send(): Promise<void> {
    while (waiting.length > 0) {
      let passed = false;
      const patience = setTimeout(() => {
        if (stuck >= MAX_STUCK) return;
        passed = true;
        stuck += 1;
        sending = false;
        start();
      }, patienceMs);
      await sendOne();
      clearTimeout(patience);
      if (!passed) continue;
      stuck -= 1;
      return;
    }
    sending = false;
  }

  async function sendOne(): Promise<void> {
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

  return {
    complete: (work) =>
      new Promise((resolve, reject) => {
        waiting.push({ work, resolve, reject });
        start();
      }),
  };
}
