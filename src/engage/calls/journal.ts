/**
 * Records the ends of tool calls while the engine goes on: one write in flight, whatever ended meanwhile goes with the next. The
 * last ends of a turn go with the beginning of the next turn, so that they cost no statement of their own.
 */
import type { Database } from '../../store/sql/database.ts';
import { type CallResult, finishToolCalls } from '../../store/transcript/calls.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';

/** A journal of one focus. Whatever is added is durable once `flush` resolves. */
export interface Journal {
  add(result: CallResult): void;
  /** Hands over what is not being written yet: from now on it is the caller's to record. Comes again with every call until `kept`. */
  take(): readonly CallResult[];
  /** What was taken is durable. */
  kept(): void;
  /** Resolves when all that was added is committed; rejects with the first failure (a lost lease, a lost database), for good. */
  flush(): Promise<void>;
}

export function createJournal(db: Database, focus: FocusKey): Journal {
  let pending: CallResult[] = [];
  let taken: readonly CallResult[] = [];
  let writing: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;

  async function drain(): Promise<void> {
    while (pending.length > 0 && !failure) {
      const batch = pending;
      pending = [];
      try {
        await finishToolCalls(db, focus, batch);
      } catch (error) {
        failure = { error };
      }
    }
    writing = null;
  }

  return {
    add(result) {
      pending.push(result);
      // A moment later: calls that end together are written together, and the last of a turn are taken before.
      writing ??= new Promise((resolve) => setImmediate(resolve)).then(drain);
    },
    take() {
      taken = [...taken, ...pending];
      pending = [];
      return taken;
    },
    kept() {
      taken = [];
    },
    async flush() {
      await writing;
      if (failure) throw failure.error;
    },
  };
}
