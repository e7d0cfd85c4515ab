/** The schema of version 0.1.0 (commit 30887c7), and the upgrade from it. Its functions are stored as a fixture, so tests need no history. */
import { copyFileSync, mkdirSync, mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';
import { type MigrateOptions, migrate } from '../../src/store/migrations/migrate.ts';
import { MIGRATIONS_DIRECTORY } from '../../src/store/migrations/migration-files.ts';
import { schemaVersion } from '../../src/store/migrations/schema-version.ts';
import type { Database } from '../../src/store/sql/database.ts';

const FUNCTIONS = resolve(import.meta.dirname, '../fixtures/schema-0.1.0/functions/all.sql');

/** The newest migration of version 0.1.0. */
export const FIRST_SCHEMA = 9;

/**
 * Brings a database to schema version `upTo` with the functions of version 0.1.0, as daemons see it between two commits of an upgrade.
 * Starts from an empty database, or from an earlier such version.
 */
export async function migrateFirstSchema(
  database: Database,
  upTo = FIRST_SCHEMA,
  options: Pick<MigrateOptions, 'pgmqSchema'> = {},
): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-first-schema-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  mkdirSync(join(directory, 'functions'));
  const names = migrationNames().filter((name) => Number(name.slice(0, 4)) <= upTo);
  const copy = (name: string) => copyFileSync(join(MIGRATIONS_DIRECTORY, name), join(directory, name));
  if (upTo <= FIRST_SCHEMA && (await schemaVersion(database)) === 0) {
    // Version 0.1.0 had a transaction for each migration, also in a new database, and migration 10 looks for that.
    copy(names[0]!);
    await migrate(database, { ...options, directory });
  }
  copyFileSync(FUNCTIONS, join(directory, 'functions', 'all.sql'));
  for (const name of names) copy(name);
  await migrate(database, { ...options, directory });
}

/** The versions that an upgrade from version 0.1.0 passes through; the last one is the current version. */
export function versionsSince(): number[] {
  return migrationNames()
    .map((name) => Number(name.slice(0, 4)))
    .filter((version) => version > FIRST_SCHEMA);
}

function migrationNames(): string[] {
  return readdirSync(MIGRATIONS_DIRECTORY).filter((name) => /^\d{4}_/.test(name));
}
