/** Records the calls of one execution of code while it goes on: calls that begin or end together are one statement. */
import type { Database } from '../../../store/sql/database.ts';
import { type CodeCallRow, recordCodeCalls } from '../../../store/transcript/code-calls.ts';
import type { FocusKey } from '../../../store/transcript/focus-row.ts';
import { withinLease } from '../within-lease.ts';

/** Of a statement: a few hundred rows are about a megabyte. */
const MOST_ROWS = 200;

export interface NestedJournal {
  /** Records a call that begins; resolves when that is committed. Only then may a call run whose repetition is not safe. */
  begin(row: CodeCallRow): Promise<void>;
  /** Records an end, a moment later. */
  add(row: CodeCallRow): void;
  /** Resolves when all that was added is committed. Rejects with the first failure. */
  flush(): Promise<void>;
}

/**
 * A journal for the calls of one execution. One write is under way at a time. While the database cannot be reached, it is repeated until `signal`
 * aborts. `onFailure` gets the first failure; after it, nothing is written.
 */
export function createNestedJournal(
  db: Database,
  focus: FocusKey,
  execution: { readonly turn: number; readonly callId: string },
  signal: AbortSignal,
  onFailure: (error: unknown) => void,
): NestedJournal {
  const { turn, callId } = execution;
  let open: Waiting[] = [];
  let writing: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;

  async function writeAll(): Promise<void> {
    // Delayed a moment, so that calls that begin or end together are written together.
    await new Promise((resolve) => setImmediate(resolve));
    while (open.length > 0 && failure === null) {
      const batch = open.slice(0, MOST_ROWS);
      open = open.slice(batch.length);
      const rows = batch.map(({ row }) => row);
      try {
        await withinLease(() => recordCodeCalls(db, focus, turn, callId, rows), signal);
        for (const { written } of batch) written?.resolve();
      } catch (error) {
        failure = { error };
        for (const { written } of [...batch, ...open]) written?.reject(error);
        onFailure(error);
      }
    }
    writing = null;
  }

  function put(row: CodeCallRow, written: Waiting['written']): void {
    open.push({ row, written });
    writing ??= writeAll();
  }

  return {
    begin(row) {
      if (failure) return Promise.reject(failure.error);
      const written = Promise.withResolvers<void>();
      put(row, written);
      return written.promise;
    },
    add(row) {
      if (failure === null) put(row, null);
    },
    async flush() {
      // Nothing is added any more, so there is no write after this one.
      await writing;
      if (failure) throw failure.error;
    },
  };
}

interface Waiting {
  readonly row: CodeCallRow;
  readonly written: PromiseWithResolvers<void> | null;
}
