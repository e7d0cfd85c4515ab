/** The process that owns the embedded database: how it is found, and how others connect to it. */
import { readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { openPostgres, type PostgresOptions } from '../postgres/postgres.ts';
import type { Database } from '../sql/database.ts';

/** How to reach the owner: the content of ANIMUS_HOME/embedded.json (mode 0600). */
export interface EmbeddedOwner {
  readonly port: number;
  readonly password: string;
  readonly pid: number;
  /** ISO 8601. */
  readonly started: string;
}

/** Connects to an owner, which may no longer be running: the first query tells. */
export function connectTo(
  owner: EmbeddedOwner,
  options: Pick<PostgresOptions, 'poolSize' | 'applicationName' | 'log'>,
): Database {
  return openPostgres(`postgres://postgres:${owner.password}@127.0.0.1:${owner.port}/postgres?sslmode=disable`, {
    kind: 'embedded',
    ...(options.poolSize !== undefined && { poolSize: options.poolSize }),
    ...(options.applicationName !== undefined && { applicationName: options.applicationName }),
    ...(options.log && { log: options.log }),
  });
}

/** Connects to the process that owns the directory; null if there is none, or it does not answer. */
export async function connectToEmbeddedOwner(
  options: Pick<PostgresOptions, 'poolSize' | 'applicationName' | 'log'> & { readonly home: string },
): Promise<(Database & { readonly port: number }) | null> {
  const owner = readOwner(options.home);
  if (!owner) return null;
  const database = connectTo(owner, options);
  try {
    await database.query('select 1');
    return { ...database, port: owner.port };
  } catch {
    // A dead owner's port is closed, or now belongs to a stranger who does not know the password.
    await database.close();
    return null;
  }
}

/** The last publication of an owner; null when there is none or it cannot be parsed. Its owner may no longer be running. */
export function readOwner(home: string): EmbeddedOwner | null {
  try {
    const found: unknown = JSON.parse(readFileSync(join(home, OWNER_FILE), 'utf8'));
    return isOwner(found) ? found : null;
  } catch (error) {
    if ((error as { code?: unknown }).code === 'EACCES') throw error;
    return null;
  }
}

/** By hand: a schema of zod would be the only one that a command loads, and takes longer to load than the command takes. */
function isOwner(value: unknown): value is EmbeddedOwner {
  const { port, password, pid, started } = (value ?? {}) as Partial<Record<keyof EmbeddedOwner, unknown>>;
  return (
    typeof port === 'number' && typeof password === 'string' && typeof pid === 'number' && typeof started === 'string'
  );
}

/** Publishes the owner; a reader sees the old file or the new one, never a part. */
export function writeOwner(home: string, owner: EmbeddedOwner): void {
  const temporary = join(home, `.${OWNER_FILE}.${process.pid}`);
  writeFileSync(temporary, `${JSON.stringify(owner)}\n`, { mode: 0o600 });
  renameSync(temporary, join(home, OWNER_FILE));
}

/** Removes the publication. */
export function removeOwner(home: string): void {
  rmSync(join(home, OWNER_FILE), { force: true });
}

const OWNER_FILE = 'embedded.json';
