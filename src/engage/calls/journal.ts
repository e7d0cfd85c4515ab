/**
 * Records the ends of tool calls while the engine continues: one write in flight; ends in the meantime are part of the next
 * write. The last ends of a turn are written with the beginning of the next turn, so that they need no extra statement.
 */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import { type CallResult, finishToolCalls } from '../../store/transcript/calls.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';
import { withinLease } from './within-lease.ts';

/**
 * A journal of one focus. Nothing that was added is lost while the focus has its lease: a write that a lost connection interrupted is
 * repeated.
 */
export interface Journal {
  add(result: CallResult): void;
  /**
   * Has `write` record what is not recorded yet, together with what it writes itself: once this resolves, all that was added is
   * committed, and may be sent. Waits for the write in flight, whose failure would else be known too late. What `write` was given comes
   * again with every call until `kept`: its commit need not wait for the disk. Where it rejects, nothing counts as recorded.
   */
  handOver<T>(write: (results: readonly CallResult[]) => Promise<T>): Promise<T>;
  /** Marks the handed-over ends as durable. */
  kept(): void;
  /**
   * Resolves when all that was added is committed; tries again while the database is away and the signal is not aborted. Rejects with
   * the first failure of another kind (a lost lease), for good.
   */
  flush(signal: AbortSignal): Promise<void>;
}

export function createJournal(db: Database, focus: FocusKey): Journal {
  /** Added, and not known to be committed. */
  let open: readonly CallResult[] = [];
  /** Committed by another write, and not known to be durable. */
  let handed: readonly CallResult[] = [];
  let scheduled: NodeJS.Immediate | undefined;
  let writing: Promise<void> | null = null;
  let failure: { readonly error: unknown } | null = null;

  async function writeOpen(): Promise<void> {
    while (open.length > 0) {
      const batch = open;
      await finishToolCalls(db, focus, batch);
      open = open.filter((result) => !batch.includes(result));
    }
  }

  /** After a lost connection, the next write includes the open ends. */
  async function writeAlong(): Promise<void> {
    try {
      await writeOpen();
    } catch (error) {
      if (!isAnimusError(error, 'db.unreachable')) failure = { error };
    } finally {
      writing = null;
    }
  }

  /** From here on there is no other writer. */
  async function settle(): Promise<void> {
    clearImmediate(scheduled);
    scheduled = undefined;
    await writing;
    if (failure) throw failure.error;
  }

  return {
    add(result) {
      open = [...open, result];
      // A moment later: calls that end together are written together, and the last of a turn are handed over before.
      scheduled ??= setImmediate(() => {
        scheduled = undefined;
        writing ??= writeAlong();
      });
    },
    async handOver(write) {
      await settle();
      const results = [...handed, ...open];
      const written = await write(results);
      handed = results;
      open = open.filter((result) => !results.includes(result));
      return written;
    },
    kept() {
      handed = [];
    },
    flush: (signal) =>
      withinLease(async () => {
        await settle();
        await writeOpen();
      }, signal),
  };
}
