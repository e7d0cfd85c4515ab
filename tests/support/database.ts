/** Databases for tests: a clone of the migrated template per file, and PGlite in a temporary home. */
import { randomBytes } from 'node:crypto';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, inject } from 'vitest';
import { type EmbeddedDatabase, type EmbeddedOptions, openEmbedded } from '../../src/store/embedded/embedded.ts';
import { openPostgres, type PostgresOptions } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { copyEmbeddedDatabase } from './embedded-template.ts';
import { memoryDirectory } from './memory-directory.ts';

export interface TestDatabase {
  readonly database: Database;
  readonly connectionString: string;
  /** Opens another pool, which is closed with the rest. */
  open(options?: PostgresOptions): Database;
}

/**
 * A database for the file (or describe): cloned before its tests and dropped after them. Fails the file if a
 * connection is left open. Call it where hooks may be registered. `empty` gives one without any schema. With `anew`, a
 * second try of a test starts with a new one, in which nothing of the first try is left or still at work; for tests that
 * need no rows of others.
 */
export function testDatabase(options: { empty?: boolean; anew?: boolean } = {}): TestDatabase {
  const name = `animus_test_${randomBytes(6).toString('hex')}`;
  const opened: Database[] = [];
  const connectionString = databaseUrl(name);
  const open = (poolOptions?: PostgresOptions): Database => {
    const database = openPostgres(connectionString, poolOptions);
    opened.push(database);
    return database;
  };
  const create = (admin: Database) =>
    admin.query(
      `create database ${name} strategy file_copy template ${options.empty ? 'template0' : inject('templateDatabase')}`,
    );
  beforeAll(() => asAdmin(create));
  beforeEach(async ({ task }) => {
    if (!options.anew || !task.result?.retryCount) return;
    await asAdmin(async (admin) => {
      await admin.query(`drop database if exists ${name} with (force)`);
      await create(admin);
    });
  });
  afterAll(async () => {
    await Promise.all(opened.map((database) => database.close()));
    await asAdmin(async (admin) => {
      const left = await connectionsLeft(admin, name);
      await admin.query(`drop database if exists ${name} with (force)`);
      if (left.length > 0) throw new Error(`connections left behind: ${JSON.stringify(left)}`);
    });
  });
  let database: Database | undefined;
  return {
    get database() {
      return (database ??= open());
    },
    connectionString,
    open,
  };
}

/**
 * PGlite in a temporary home for the file (or describe), opened before its tests: migrated and already started once.
 * `empty` creates a new one without any schema.
 */
export function embeddedDatabase({ empty = false, ...options }: Partial<EmbeddedOptions> & { empty?: boolean } = {}): {
  readonly database: EmbeddedDatabase;
  readonly home: string;
} {
  const home = temporaryHome(memoryDirectory('home'));
  let database: EmbeddedDatabase | undefined;
  beforeAll(async () => {
    if (!empty) copyEmbeddedDatabase(home);
    database = await openEmbedded({ home, ...(empty && { prepared: null }), ...options });
  });
  afterAll(() => database?.close());
  return {
    home,
    get database() {
      if (!database) throw new Error('the embedded database is open only while tests run');
      return database;
    },
  };
}

/** A temporary directory that is removed after the file's (or describe's) tests. */
export function temporaryHome(home: string = mkdtempSync(join(tmpdir(), 'animus-home-'))): string {
  afterAll(() => rmSync(home, { recursive: true, force: true }));
  return home;
}

/** A temporary home with a migrated embedded database; it is removed after the tests of the file (or describe). */
export function embeddedHome(): string {
  const home = temporaryHome(memoryDirectory('home'));
  copyEmbeddedDatabase(home);
  return home;
}

/** Opens a database by its connection string for as long as `work` takes. */
export async function onDatabase<T>(url: string, work: (db: Database) => Promise<T>): Promise<T> {
  const db = openPostgres(url, { poolSize: 2 });
  try {
    return await work(db);
  } finally {
    await db.close();
  }
}

/** Runs `work` as the test server's superuser, in its maintenance database. */
export async function asAdmin<T>(work: (admin: Database) => Promise<T>): Promise<T> {
  const admin = openPostgres(inject('postgresUrl'), { poolSize: 1, applicationName: 'animus-test-admin' });
  try {
    return await work(admin);
  } finally {
    await admin.close();
  }
}

/** The test server's connection string with another database. */
export function databaseUrl(name: string): string {
  const url = new URL(inject('postgresUrl'));
  url.pathname = `/${name}`;
  return url.href;
}

/** The backend of a closed connection takes a moment to exit, longer on a busy machine. What remains after ten seconds was not closed. */
async function connectionsLeft(admin: Database, name: string): Promise<object[]> {
  for (let attempt = 0; ; attempt++) {
    const left = await admin.query('select application_name, state, query from pg_stat_activity where datname = $1', [
      name,
    ]);
    if (left.length === 0 || attempt >= 200) return left;
    await admin.query('select pg_sleep(0.05)');
  }
}
