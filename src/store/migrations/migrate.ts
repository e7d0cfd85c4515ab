/** Migrates a database to the schema of this animus. */
import { AnimusError } from '../../core/errors/errors.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
import { applyFunctions } from './apply-functions.ts';
import { makeBookkeeping, recordMigration } from './bookkeeping.ts';
import { checkServer } from './check-server.ts';
import { choosePgmqSchema, refuseOtherSchema } from './choose-pgmq-schema.ts';
import { checkCompatible, migrationStatus } from './compatibility.ts';
import { installPgmq, installVector, type VectorSupport } from './extensions.ts';
import { type MendOptions, mendBefore } from './mend-objects.ts';
import { type Migration, readSchemaFiles, type SchemaFiles, type SqlFile } from './migration-files.ts';
import { requirePgmqRights } from './pgmq-rights.ts';
import { renderFiles } from './render-files.ts';
import { identifyPgmqRows } from './replica-identity.ts';
import { NOTHING_RESTORED, type RestoredQueues, restoreQueues } from './restore-queues.ts';
import { installRoles } from './roles.ts';
import { foreignOwner, schemaVersion } from './schema-version.ts';
import { settlePgmq } from './settle-pgmq.ts';
import { takeTurn } from './take-turn.ts';
import { readUnfinished, setUnfinished } from './unfinished.ts';

/** A step's wait for locks is bounded (take-turn.ts). */
export interface MigrateOptions extends MendOptions {
  /** ANIMUS_PGMQ_SCHEMA: where pgmq and the queues are installed; default and for the embedded database `pgmq`. */
  readonly pgmqSchema?: string | null;
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
  /** What else was put back, in words. */
  readonly mended: readonly string[];
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
 * Errors: `db.refused` (server too old, read-only, missing rights, queues in another schema than `pgmqSchema`), `db.migration_changed`, `db.migration_failed`,
 * `db.schema_older`, `db.extension_missing`, and those of the connection.
 */
export async function migrate(database: Database, options: MigrateOptions = {}): Promise<MigrateResult> {
  const { log = silentLog } = options;
  const startedMs = performance.now();
  const files = await readSchemaFiles(options.directory);
  await checkServer(database);
  const wanted = database.kind === 'embedded' ? null : (options.pgmqSchema ?? null);
  await refuseOtherSchema(database, wanted);
  const untouched = await leaveAsItIs(database, files, options);
  if (untouched) return untouched;
  await makeBookkeeping(database);
  const schema = await takeTurn(database, 'pgmq', options, async (tx) => {
    const chosen = await choosePgmqSchema(tx, database, wanted);
    await requirePgmqRights(tx, database.where);
    const pgmq = await installPgmq(tx);
    if (pgmq !== 'present') log.info({ pgmq }, 'installed pgmq');
    await identifyPgmqRows(tx);
    await settlePgmq(tx);
    return chosen;
  });
  const vector = await takeTurn(database, 'pgvector', options, installVector);

  const { putBackFunctions = false } = options;
  const mendedFirst = await mendBefore(database, files, options);
  const restored = await takeTurn(database, 'the queues', options, async (tx) => {
    const queues = await restoreQueues(tx, putBackFunctions);
    if (queues.queues.length > 0) await setUnfinished(tx, 'functions');
    return queues;
  });
  if (restored.queues.length > 0) log.warn({ ...restored }, 'queues of animus were missing in pgmq; made them again');
  const rendered = renderFiles(files, schema);
  const applied = await applyMigrations(database, rendered, options);
  const { functions, mended } = await applyFunctions(database, rendered, options);
  const changed = applied.length + functions.length > 0;
  const roles = await takeTurn(database, 'the roles', options, installRoles);
  options.onProgress?.(null);
  const durationMs = Math.round(performance.now() - startedMs);
  if (changed) log.info({ migrations: applied, functions, duration_ms: durationMs }, 'migrated the schema');
  if (changed && roles.missing.length > 0)
    log.info({ missing: roles.missing }, 'some database roles could not be created');
  await recordVector(database, vector);
  return {
    applied,
    functions,
    restored,
    mended: [...mendedFirst, ...mended],
    version: await schemaVersion(database),
  };
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
  // At most starts nothing is left to do: the table is read once then, and no step takes its turn.
  const before = await appliedChecksums(database);
  for (const [done, migration] of files.migrations.entries()) {
    if (before.get(migration.version) === migration.checksum) continue;
    const startedMs = performance.now();
    if (!(await takeTurn(database, migration.name, options, (tx) => applyMigration(tx, migration)))) continue;
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
  return { applied: [], functions: [], restored: NOTHING_RESTORED, mended: [], version };
}

async function appliedChecksums(database: Queryable): Promise<ReadonlyMap<number, string>> {
  const rows = await database.query<{ version: number; checksum: string }>(
    'select version, checksum from animus.schema_migrations',
  );
  return new Map(rows.map(({ version, checksum }) => [version, checksum]));
}

async function applyMigration(tx: Queryable, migration: Migration): Promise<boolean> {
  const [done] = await tx.query<{ checksum: string }>(
    'select checksum from animus.schema_migrations where version = $1',
    [migration.version],
  );
  if (done) {
    if (done.checksum !== migration.checksum) throw changed(migration, done.checksum);
    return false;
  }
  await tx.query(migration.sql);
  await recordMigration(tx, migration);
  if ((await readUnfinished(tx)) !== 'functions') await setUnfinished(tx, 'roles');
  return true;
}

function changed(file: SqlFile, applied: string): AnimusError {
  return new AnimusError('db.migration_changed', {
    file: file.name,
    applied: applied.slice(0, 12),
    now: file.checksum.slice(0, 12),
  });
}

async function recordVector(database: Database, support: VectorSupport): Promise<void> {
  if (!(await readValue<boolean>(database, `select to_regclass('animus.settings') is not null`))) return;
  await database.query(
    `insert into animus.settings (key, value) values ('memory', $1::jsonb)
     on conflict (key) do update set value = excluded.value where animus.settings.value is distinct from excluded.value`,
    [JSON.stringify(support)],
  );
}
