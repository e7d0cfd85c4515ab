/** The database without a server: PGlite in ANIMUS_HOME/db, owned by one process and served on a loopback port. */
import { randomBytes } from 'node:crypto';
import { join } from 'node:path';
import { AnimusError, messageOf } from '../../core/errors/errors.ts';
import { type Clock, systemClock } from '../../core/lifecycle/clock.ts';
import { type Log, silentLog } from '../../telemetry/log.ts';
import { openPostgres } from '../postgres/postgres.ts';
import type { Database } from '../sql/database.ts';
import { isDiskFull, makeDirectory, markComplete, prepareFirstStart } from './embedded-directory.ts';
import {
  type DirectoryLock,
  type EmbeddedOwner,
  lockDirectory,
  readOwner,
  removeOwner,
  writeOwner,
} from './embedded-lock.ts';
import { EmbeddedStartError, startEmbeddedThread } from './embedded-thread.ts';

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
  readonly log?: Log;
  readonly clock?: Clock;
  readonly signal?: AbortSignal;
}

/** An embedded database and the port it is served on. */
export type EmbeddedDatabase = Database & { readonly port: number };

const MAX_CONNECTIONS = 100;

/**
 * Owns the directory and serves it until closed; a process that is killed leaves nothing that blocks the next one. First
 * start about 1.5 s, later ones under 1 s.
 *
 * Errors: `db.embedded_locked` when another process has it after `waitMs`; `db.refused` when the directory cannot be
 * written or the disk is full; `interrupted`.
 */
export async function openEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { home, log = silentLog } = options;
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
    const database = connect(owner, options);
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

/**
 * For a CLI command: connects to the process that owns the directory, or owns it for as long as the command takes, and then
 * for up to 5 s more while another command uses it. It waits for an owner that is starting or exiting, up to `waitMs`
 * (default 10,000).
 */
export async function connectOrOpenEmbedded(options: EmbeddedOptions): Promise<EmbeddedDatabase> {
  const { clock = systemClock, waitMs = 10_000 } = options;
  const deadline = clock.monotonicMs() + waitMs;
  for (;;) {
    const database = await connectToOwner(options);
    if (database) return database;
    try {
      return await openEmbedded({ lingerMs: COMMAND_LINGER_MS, ...options, waitMs: 0 });
    } catch (error) {
      if (!(error instanceof AnimusError) || error.code !== 'db.embedded_locked') throw error;
      if (clock.monotonicMs() >= deadline) throw error;
    }
    await clock.sleep(LOCK_POLL_MS, options.signal);
    if (options.signal?.aborted) throw new AnimusError('interrupted');
  }
}

const LOCK_POLL_MS = 50;
/** Other commands end within this time; it is shorter than the time that a command waits for the directory. */
const COMMAND_LINGER_MS = 5_000;

async function connectToOwner(options: EmbeddedOptions): Promise<EmbeddedDatabase | null> {
  const owner = readOwner(options.home);
  if (!owner) return null;
  const database = connect(owner, options);
  try {
    await database.query('select 1');
    return { ...database, port: owner.port };
  } catch {
    // A dead owner's port is closed, or is now used by another program that does not know the password.
    await database.close();
    return null;
  }
}

function connect(owner: EmbeddedOwner, options: EmbeddedOptions): Database {
  return openPostgres(`postgres://postgres:${owner.password}@127.0.0.1:${owner.port}/postgres?sslmode=disable`, {
    kind: 'embedded',
    ...(options.poolSize !== undefined && { poolSize: options.poolSize }),
    ...(options.applicationName !== undefined && { applicationName: options.applicationName }),
    ...(options.log && { log: options.log }),
  });
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
    if (lock) return lock;
    if (clock.monotonicMs() >= deadline) {
      const pid = readOwner(home)?.pid ?? 'unknown';
      throw new AnimusError('db.embedded_locked', { directory, pid, hint: '; stop it, or set DATABASE_URL' });
    }
    await clock.sleep(LOCK_POLL_MS, signal);
    if (signal?.aborted) throw new AnimusError('interrupted');
  }
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
