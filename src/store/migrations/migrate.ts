/** Migrates a database to the schema of this animus. */
import { AnimusError } from '../../core/errors/errors.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { makeBookkeeping } from './bookkeeping.ts';
import { checkCompatible, migrationStatus } from './compatibility.ts';
import { installPgmq, installVector, type VectorSupport } from './extensions.ts';
import { migrationError } from './migration-errors.ts';
import { type Migration, readSchemaFiles, type SchemaFiles, type SqlFile } from './migration-files.ts';
import { withoutOldQueues } from './old-queues.ts';
import { requirePgmqRights } from './pgmq-rights.ts';
import { noteReplaced, wasReplaced } from './replaced-functions.ts';
import { identifyPgmqRows } from './replica-identity.ts';
import { NOTHING_RESTORED, type RestoredQueues, restoreQueues } from './restore-queues.ts';
import { foreignOwner, installRoles } from './roles.ts';
import { schemaVersion } from './schema-version.ts';
import { type TurnOptions, takeTurn } from './take-turn.ts';

/** A step's wait for locks is bounded (take-turn.ts). */
export interface MigrateOptions extends TurnOptions {
  /** Default: the project's own migrations. */
  readonly directory?: string;
  /**
   * Also brings back functions that another animus has replaced, or that somebody has dropped, and messages of the queues; default false: a daemon that
   * starts again during an upgrade must not.
   */
  readonly putBackFunctions?: boolean;
  readonly onProgress?: MigrationProgress | undefined;
}

/** Called after each migration that was applied, with the number of those that are done and of all, and with null at the end. */
export type MigrationProgress = (step: { readonly done: number; readonly of: number } | null) => void;

export interface MigrateResult {
  /** Names of the migrations this call applied. */
  readonly applied: readonly string[];
  /** Names of the function files this call re-applied: all of them, or none. */
  readonly functions: readonly string[];
  /** What was missing of the queues. */
  readonly restored: RestoredQueues;
  /** The schema's version now. */
  readonly version: number;
}

/**
 * Applies what is missing: schema `animus`, pgmq, pgvector, the migrations (each in a transaction of its own), when any of
 * them changed all function files in one, and the roles with their rights. Idempotent; processes that race apply everything
 * once. No step waits for a lock for more than 100 ms, so that no other session queues behind it; it is retried instead. An
 * interrupted call is finished by the next. The schema of a later animus is not changed. A role that may not migrate (a
 * member of animus_daemon) changes nothing; it is refused when the schema is behind.
 *
 * Errors: `db.refused` (server too old, read-only, missing rights), `db.migration_changed`, `db.migration_failed`,
 * `db.schema_older`, `db.extension_missing`, and those of the connection.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrateResult> {
  const { log = silentLog } = options;
  const startedMs = performance.now();
  const files = await readSchemaFiles(options.directory);
  await checkServer(database);
  const untouched = await leaveAsItIs(database, files, options);
  if (untouched) return untouched;
  await makeBookkeeping(database);
  await takeTurn(database, 'pgmq', options, async (tx) => {
    await requirePgmqRights(tx, database.where);
    const pgmq = await installPgmq(tx);
    if (pgmq !== 'present') log.info({ pgmq }, 'installed pgmq');
    await identifyPgmqRows(tx);
  });
  const vector = await takeTurn(database, 'pgvector', options, installVector);

  const { putBackFunctions = false } = options;
  const restored = await takeTurn(database, 'the queues', options, (tx) => restoreQueues(tx, putBackFunctions));
  if (restored.queues.length > 0) log.warn({ ...restored }, 'queues of animus were missing in pgmq; made them again');
  const applied = await applyMigrations(database, files, options);
  const functions = await applyFunctions(database, files, options, restored);
  const changed = applied.length + functions.length > 0;
  const roles = await takeTurn(database, 'the roles', options, (tx) => installRoles(tx, changed));
  options.onProgress?.(null);
  const durationMs = Math.round(performance.now() - startedMs);
  if (changed) log.info({ migrations: applied, functions, duration_ms: durationMs }, 'migrated the schema');
  if (changed && roles.missing.length > 0)
    log.info({ missing: roles.missing }, 'some database roles could not be created');
  await recordVector(database, vector);
  return { applied, functions, restored, version: await schemaVersion(database) };
}

/** Those that take long are logged one by one: a large table may need an hour. */
const LONG_MS = 5000;

async function applyMigrations(
  database: Database,
  files: SchemaFiles,
  options: MigrateOptions,
): Promise<readonly string[]> {
  const { log = silentLog, onProgress } = options;
  const applied: string[] = [];
  for (const [done, migration] of files.migrations.entries()) {
    const startedMs = performance.now();
    if (!(await takeTurn(database, migration.name, options, (tx) => applyMigration(tx, migration, files)))) continue;
    applied.push(migration.name);
    onProgress?.({ done: done + 1, of: files.migrations.length });
    const tookMs = Math.round(performance.now() - startedMs);
    const level = tookMs > LONG_MS ? 'info' : 'debug';
    log[level]({ migration: migration.name, duration_ms: tookMs }, 'applied a migration');
  }
  return applied;
}

/** The result when there is nothing to do, or nothing that this animus and this role may do. Null: continue. */
async function leaveAsItIs(
  database: Database,
  files: SchemaFiles,
  { directory, log = silentLog }: MigrateOptions,
): Promise<MigrateResult | null> {
  const version = await schemaVersion(database);
  const owner = await foreignOwner(database);
  if (version > files.migrations.length) {
    await checkCompatible(database, directory);
    log.warn(
      { version, needed: files.migrations.length },
      'the schema was migrated by a newer animus; using it unchanged',
    );
  } else if (owner !== null) {
    await checkCompatible(database, directory);
    const { staleFunctions } = await migrationStatus(database, directory);
    if (staleFunctions.length > 0) {
      log.warn(
        { ...owner, functions: staleFunctions },
        'the SQL functions belong to another version of animus and this role may not replace them; if this version is the newer one, run as the owner of the schema: animus db migrate',
      );
    }
  } else {
    return null;
  }
  return { applied: [], functions: [], restored: NOTHING_RESTORED, version };
}

const OLDEST_SERVER = 150_000;

async function checkServer(database: Database): Promise<void> {
  const [server] = await database.query<{ number: number; version: string; read_only: string; encoding: string }>(
    `select current_setting('server_version_num')::int as number, current_setting('server_version') as version,
            current_setting('transaction_read_only') as read_only, current_setting('server_encoding') as encoding`,
  );
  if (!server) throw new AnimusError('internal.bug', { detail: 'the server did not report its version' });
  const refuse = (detail: string) => new AnimusError('db.refused', { where: database.where, detail, hint: '' });
  if (server.number < OLDEST_SERVER) throw refuse(`PostgreSQL ${server.version} is too old, animus needs 15 or later`);
  if (server.encoding !== 'UTF8') {
    throw refuse(
      `its encoding is ${server.encoding}, animus needs UTF8: create database … template template0 encoding 'UTF8'`,
    );
  }
  if (server.read_only === 'on')
    throw refuse(
      'it is read-only: if it is a standby, connect to the primary; if default_transaction_read_only is on, animus doctor says where it is set',
    );
}

async function applyMigration(tx: Queryable, migration: Migration, files: SchemaFiles): Promise<boolean> {
  const [done] = await tx.query<{ checksum: string }>(
    'select checksum from animus.schema_migrations where version = $1',
    [migration.version],
  );
  if (done) {
    if (done.checksum !== migration.checksum) throw changed(migration, done.checksum);
    return false;
  }
  await tx.query(withoutOldQueues(migration, files));
  await tx.query('insert into animus.schema_migrations (version, name, checksum) values ($1, $2, $3)', [
    migration.version,
    migration.name,
    migration.checksum,
  ]);
  return true;
}

function changed(file: SqlFile, applied: string): AnimusError {
  return new AnimusError('db.migration_changed', {
    file: file.name,
    applied: applied.slice(0, 12),
    now: file.checksum.slice(0, 12),
  });
}

async function applyFunctions(
  database: Database,
  { functions: files, migrations: { length: migrations } }: SchemaFiles,
  options: MigrateOptions,
  restored: RestoredQueues,
): Promise<readonly string[]> {
  const { log = silentLog, putBackFunctions = false } = options;
  return takeTurn(database, 'functions/*.sql', options, async (tx) => {
    const known = await tx.query<{ name: string; checksum: string }>(
      'select name, checksum from animus.schema_functions',
    );
    // A later animus may have migrated while we waited for the lock: do not replace its functions.
    if ((await schemaVersion(tx)) > migrations) return [];
    const checksums = new Map(known.map((row) => [row.name, row.checksum]));
    const same = files.length === checksums.size && files.every((file) => checksums.get(file.name) === file.checksum);
    // The files also make the triggers of the queues.
    const whole = restored.queues.length === 0 && !(putBackFunctions && (await lacksFunctions(tx, options)));
    if (same && whole) return [];
    if (!putBackFunctions && (await wasReplaced(tx, files))) {
      log.warn(
        {},
        'another version of animus has replaced the SQL functions; they are kept. To restore these: animus db migrate',
      );
      return [];
    }
    for (const file of files) {
      try {
        await tx.query(file.sql);
      } catch (error) {
        throw migrationError(error, database, `functions/${file.name}`);
      }
    }
    await noteReplaced(tx, known, files);
    await tx.query('delete from animus.schema_functions');
    await tx.query(
      `insert into animus.schema_functions (name, checksum) select * from unnest($1::text[], $2::text[])`,
      [files.map((file) => file.name), files.map((file) => file.checksum)],
    );
    return files.map((file) => file.name);
  });
}

/** Only of the project's own files it is known what they declare. */
async function lacksFunctions(tx: Queryable, { directory }: MigrateOptions): Promise<boolean> {
  if (directory !== undefined) return false;
  const { missingObjects } = await import('./missing-objects.ts');
  return (await missingObjects(tx, { functions: true })).length > 0;
}

async function recordVector(database: Database, support: VectorSupport): Promise<void> {
  const [found] = await database.query<{ there: boolean }>(
    `select to_regclass('animus.settings') is not null as there`,
  );
  if (!found?.there) return;
  await database.query(
    `insert into animus.settings (key, value) values ('memory', $1::jsonb)
     on conflict (key) do update set value = excluded.value where animus.settings.value is distinct from excluded.value`,
    [JSON.stringify(support)],
  );
}
