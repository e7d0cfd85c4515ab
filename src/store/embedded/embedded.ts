/** The database without a server: PGlite in ANIMUS_HOME/db, owned by one process and served on a loopback port. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { interruption } from '../../core/errors/interruption.ts';
import { type Clock, systemClock } from '../../core/lifecycle/clock.ts';
import type { Log } from '../../telemetry/log.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database } from '../sql/database.ts';
import { isDiskFull, makeDirectory, markComplete, prepareFirstStart } from './embedded-directory.ts';
import { type DirectoryLock, lockDirectory } from './embedded-lock.ts';
import { connectTo, connectToEmbeddedOwner, readOwner, removeOwner, writeOwner } from './embedded-owner.ts';
import { EmbeddedStartError, startEmbeddedThread } from './embedded-thread.ts';
import { PREPARED_DATABASE } from './prepared-database.ts';

export interface EmbeddedOptions {
  /** ANIMUS_HOME; created (mode 0700) if its parent exists. */
  readonly home: string;
  /** How long to wait for another owner to exit; default 0 ms. */
  readonly waitMs?: number;
  /** Loopback port; default any free one. */
  readonly port?: number;
  readonly poolSize?: number;
  readonly applicationName?: string;
  /** How long a client's open transaction may be idle; default 5,000 ms. */
  readonly maxIdleMs?: number;
  /** How long closing waits for other clients to disconnect; default 0 ms, at most 5,000. */
  readonly lingerMs?: number;
  /** What a new database is unpacked from; null: it gets no schema. Default: what comes with the package, where that has the same migrations. */
  readonly prepared?: URL | null;
  readonly log?: Log;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** An embedded database and the port it is served on. */
export type EmbeddedDatabase = Database & { readonly port: number };

const MAX_CONNECTIONS = 100;
/** How often a taken lock is tried again. */
const LOCK_POLL_MS = 50;

/**
 * Owns the directory and serves it until closed; a process that is killed leaves nothing that blocks the next one. First
 * start with the prepared database takes little longer than later ones, about 1 s.
 *
 * Errors: `db.embedded_locked` when another process has it after `waitMs`; `db.refused` when the directory cannot be
 * written or the disk is full; `interrupted`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { home, prepared = PREPARED_DATABASE, log = silentLog } = options;
  const directory = prepareHome(home);
  const lock = await waitForLock(options, directory);
  try {
    prepareFirstStart(home, directory);
    const password = randomBytes(24).toString('hex');
    const thread = await startEmbeddedThread(
      {
        directory,
        port: options.port ?? 0,
        password,
        prepared: prepared?.href ?? null,
        maxIdleMs: options.maxIdleMs ?? 5_000,
        maxConnections: MAX_CONNECTIONS,
        lingerMs: options.lingerMs ?? 0,
      },
      log,
    );
    markComplete(home);
    const owner = { port: thread.port, password, pid: process.pid, started: new Date().toISOString() };
    try {
      writeOwner(home, owner);
    } catch (error) {
      await thread.stop();
      throw error;
    }
    const database = connectTo(owner, options);
    let closed: Promise<void> | undefined;
    const close = async (): Promise<void> => {
      await database.close();
      removeOwner(home);
      await thread.stop();
      lock.release();
    };
    return { ...database, port: thread.port, close: () => (closed ??= close()) };
  } catch (error) {
    lock.release();
    throw openError(error, directory);
  }
}

function prepareHome(home: string): string {
  try {
    return makeDirectory(home);
  } catch (error) {
    throw openError(error, join(home, 'db'));
  }
}

async function waitForLock(options: EmbeddedOptions, directory: string): Promise<DirectoryLock> {
  const { home, clock = systemClock, waitMs = 0, signal } = options;
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const lock = tryLock(home, directory);
    if (lock && !(await isOwned(home))) return lock;
    lock?.release();
    if (clock.monotonicMs() >= deadline) {
      throw lockedError(directory, readOwner(home)?.pid ?? null);
    }
    await clock.sleep(LOCK_POLL_MS, signal);
    if (signal?.aborted) throw interruption();
  }
}

/** `pid` null: it has not said who it is. */
function lockedError(directory: string, pid: number | null): AnimusError {
  const [user, hint] =
    pid === null
      ? ['another process, which is still starting or does not answer', '; try again, or set DATABASE_URL']
      : [`process ${pid}`, '; stop it, or set DATABASE_URL'];
  return new AnimusError('db.embedded_locked', { directory, user, pid, hint });
}

/** An owner withdraws its publication before its lock. So one that still answers lost the lock: somebody has removed its file. */
async function isOwned(home: string): Promise<boolean> {
  const owner = await connectToEmbeddedOwner({ home, poolSize: 1 });
  await owner?.close();
  return owner !== null;
}

function tryLock(home: string, directory: string): DirectoryLock | null {
  try {
    return lockDirectory(home);
  } catch (error) {
    throw openError(error, directory);
  }
}

function openError(error: unknown, directory: string): unknown {
  if (error instanceof AnimusError) return error;
  const code = (error as { code?: unknown } | null)?.code;
  const hints: Readonly<Record<string, string>> = {
    EACCES: '; the directory must be writable by this user, or set ANIMUS_HOME',
    EPERM: '; the directory must be writable by this user, or set ANIMUS_HOME',
    EROFS: '; the file system is read-only; set ANIMUS_HOME',
    ENOSPC: '; the disk is full',
    ENOTDIR: '; a part of the path is a file; set ANIMUS_HOME',
    EADDRINUSE: '; the port is taken',
  };
  const hint = (typeof code === 'string' && hints[code]) || '';
  if (!hint && !(error instanceof EmbeddedStartError)) return error;
  if (!hint && isDiskFull(directory)) {
    return new AnimusError(
      'db.refused',
      { where: directory, detail: 'no space left on device', hint: '' },
      { cause: error },
    );
  }
  return new AnimusError('db.refused', { where: directory, detail: messageOf(error), hint }, { cause: error });
}
