/**
 * Records the ends of tool calls while the engine continues. One write is in flight at a time; calls that end meanwhile are part of the
 * next one. The last ends of a turn are written with the beginning of the next turn, so that they need no extra statement.
 */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Database } from '../../store/sql/database.ts';
import { type CallResult, finishToolCalls } from '../../store/transcript/calls.ts';
import { type FocusKey } from '../../store/transcript/focus-row.ts';
import { withinLease } from './within-lease.ts';

/**
 * A journal of one focus. Nothing that was added is lost while the focus has its lease: a write that was interrupted by a lost connection
 * is repeated.
 */
export interface Journal {
  add(result: CallResult): void;
  /**
   * Runs a write of its own while no other of the journal is in flight: all of them lock the work item, and none waits long for that. What is added meanwhile is
   * written after it.
   */
  alone<T>(write: () => Promise<T>): Promise<T>;
  /**
   * Lets `write` record everything that is not recorded yet, together with its own data. Once this resolves, all that was added is
   * committed and may be sent. Waits for the write in flight, whose failure would otherwise be noticed too late. `write` gets the same
   * results again with every call until `kept`, because its commit need not wait for the disk. If it rejects, nothing counts as recorded.
   */
  handOver<T>(write: (results: readonly CallResult[]) => Promise<T>): Promise<T>;
  /** Marks the handed-over ends as durable. */
  kept(): void;
  /**
   * Resolves when all that was added is committed; retries while the database is unreachable and the signal is not aborted. Rejects
   * permanently with the first failure of another kind (a lost lease).
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

  /** After this, there is no other writer. */
  async function settle(): Promise<void> {
    clearImmediate(scheduled);
    scheduled = undefined;
    for (let current = writing; current !== null; current = writing) await current;
    if (failure) throw failure.error;
  }

  return {
    add(result) {
      open = [...open, result];
      // Delayed a moment, so that calls that end together are written together, and the last ones of a turn are handed over instead.
      scheduled ??= setImmediate(() => {
        scheduled = undefined;
        writing ??= writeAlong();
      });
    },
    async alone(write) {
      // Checked and taken without a pause between, where several wait.
      for (let current = writing; current !== null; current = writing) await current;
      const written = write();
      writing = written.then(ignore, ignore).then(() => {
        writing = null;
        if (open.length > 0) writing = writeAlong();
      });
      return written;
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

function ignore(): void {}
