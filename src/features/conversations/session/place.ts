/** Where a session runs: the database, and a daemon of its own if nobody else has the embedded database. */
import { AnimusError, isAnimusError } from '../../../core/errors/errors.ts';
import { interruption } from '../../../core/errors/interruption.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import { connectToEmbeddedOwner } from '../../../store/embedded/embedded-owner.ts';
import { checkCompatible } from '../../../store/migrations/compatibility.ts';
import { openConfiguredDatabase } from '../../../store/open/open-database.ts';
import type { Database } from '../../../store/sql/database.ts';
import { liveDaemons } from '../../../store/work/daemons.ts';
import { silentLog } from '../../../telemetry/silent-log.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { refuseInsideWork } from '../../../terminal/command/database.ts';

export interface Place {
  readonly db: Database;
  /** True: the answers are given by a daemon in this process, which ends with it. */
  readonly own: boolean;
  /** Aborted when that daemon has ended; its reason says why. */
  readonly lost: AbortSignal;
  close(): Promise<void>;
}

export interface PlaceOptions {
  readonly signal: AbortSignal;
  /** Called with what takes long, and with null when it is over. */
  readonly onProgress: (what: string | null) => void;
  /** How long the process that had the embedded database may take to come back. Default 0: it is not known to be gone. */
  readonly comesBackMs?: number;
}

/**
 * Opens the database. On the embedded one, answers need a daemon, and only one process can have it: so a session where no daemon runs is one itself.
 * Errors: `db.*`, `config.*`, `faculty.*`, `interrupted`.
 */
export async function openPlace(invocation: Invocation, options: PlaceOptions): Promise<Place> {
  await refuseInsideWork(invocation);
  const { databaseUrl, home } = await invocation.reach();
  if (databaseUrl === null) return openEmbeddedPlace(invocation, home, options);
  const db = await openConfiguredDatabase({ databaseUrl, home }, { role: 'command', log: silentLog });
  try {
    await checkCompatible(db);
  } catch (error) {
    await db.close();
    throw error;
  }
  return elsewhere(db);
}

/** A database that does not need this process. */
function elsewhere(db: Database): Place {
  return { db, own: false, lost: new AbortController().signal, close: () => db.close() };
}

const PAUSE_MS = 250;
/** A command that has the database leaves it within five seconds, but the first start takes longer on a slow machine. */
const PATIENCE_MS = 30_000;

async function openEmbeddedPlace(invocation: Invocation, home: string, options: PlaceOptions): Promise<Place> {
  const { signal, onProgress, comesBackMs = 0 } = options;
  const begunMs = systemClock.monotonicMs();
  for (;;) {
    const elapsedMs = systemClock.monotonicMs() - begunMs;
    const found = await connectToDaemon(home);
    if (found !== null && found !== 'a command') {
      await checkCompatible(found);
      return elsewhere(found);
    }
    if (found === null && elapsedMs >= comesBackMs) {
      try {
        return await ownPlace(invocation, home, options);
      } catch (error) {
        if (!isAnimusError(error, 'db.embedded_locked') || elapsedMs > PATIENCE_MS) throw error;
      }
    }
    onProgress('waiting for the embedded database, which another process has open');
    await systemClock.sleep(PAUSE_MS, signal);
    if (signal.aborted) throw interruption();
  }
}

/** Null: nobody has the database. */
async function connectToDaemon(home: string): Promise<Database | 'a command' | null> {
  const db = await connectToEmbeddedOwner({ home, log: silentLog });
  if (db === null) return null;
  try {
    if ((await liveDaemons(db))?.length !== 0) return db;
  } catch (error) {
    // A command that is just creating its schema.
    if (!isAnimusError(error)) throw error;
  }
  await db.close();
  return 'a command';
}

async function ownPlace(invocation: Invocation, home: string, { signal, onProgress }: PlaceOptions): Promise<Place> {
  onProgress('no daemon is running: starting one for this session');
  const { startOwnDaemon } = await import('./own-daemon.ts');
  const daemon = await startOwnDaemon(invocation, signal);
  onProgress(null);
  try {
    const db = await connectToEmbeddedOwner({ home, log: silentLog });
    if (db === null)
      throw new AnimusError('db.unreachable', {
        where: home,
        detail: 'the daemon of this session does not answer',
        hint: '',
      });
    const close = async () => {
      await db.close();
      await daemon.stop();
    };
    return { db, own: true, lost: daemon.ended, close };
  } catch (error) {
    await daemon.stop();
    throw error;
  }
}
