/** Reads what has happened, a little later and many at once, so that neither inserts nor ends write more: the words of work for searches, and sums for charts. */
import { messageOf } from '../../core/errors/errors.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import type { PartOfDaemon } from '../../daemon/parts/daemon-part.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readValue } from '../../store/sql/read-value.ts';
import type { Log } from '../../telemetry/log.ts';

/** Between two rounds. A search looks at what is not written yet, as far as it is little, so this only bounds how much that is. */
const INTERVAL_MS = 15_000;
/** Items per transaction. */
const BATCH = 500;
const COUNTED = 5000;

const READERS = [
  {
    read: (db: Queryable) => writeWords(db, BATCH),
    warn: (log: Log, error: string) =>
      log.warn({ error }, 'could not write the words of work for searches; the next round tries again'),
  },
  {
    read: (db: Queryable) => countActivity(db, COUNTED),
    warn: (log: Log, error: string) =>
      log.warn({ error }, 'could not add up what has happened; the next round tries again'),
  },
] as const;

/** Any number of daemons may do it: one of them reads at a time. */
export function createReaders({ db, clock, log }: Pick<PartOfDaemon, 'db' | 'clock' | 'log'>): Service {
  return createLoop(async (stopping) => {
    for (;;) {
      await clock.sleep(INTERVAL_MS * (0.5 + Math.random()), stopping);
      if (stopping.aborted) return;
      for (const { read, warn } of READERS) {
        try {
          for (let count: number | null = 0; count !== null && !stopping.aborted; ) {
            const begun = clock.monotonicMs();
            count = await read(db);
            // After an upgrade there is much to read: half of the time is for others.
            if (count !== null) await clock.sleep(clock.monotonicMs() - begun, stopping);
          }
        } catch (error) {
          warn(log, messageOf(error));
        }
      }
    }
  });
}

/** Writes the words of about `limit` items that were submitted or have ended. Null: there is nothing to read now, or another daemon reads. */
export async function writeWords(db: Queryable, limit: number): Promise<number | null> {
  return readValue<number | null>(db, 'select animus.read_words($1)', [limit]);
}

/** Adds up about `limit` items that were submitted or have ended. Null: as of `writeWords`. */
export async function countActivity(db: Queryable, limit: number): Promise<number | null> {
  return readValue<number | null>(db, 'select animus.read_activity($1)', [limit]);
}
