/** Migrates a database to the schema of this animus. */
import { AnimusError } from '../../core/errors/errors.ts';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
import { type AppliedFunctions, applyFile, applyFunctions } from './apply-functions.ts';
import { makeBookkeeping, recordMigrations } from './bookkeeping.ts';
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
 * Applies what is missing: schema `animus`, pgmq, pgvector, the migrations (each in a transaction of its own, all in one where there is no schema yet), when any of
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
  const { applied, functions, mended } = await applySchema(database, rendered, options);
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

type AppliedSchema = Pick<MigrateResult, 'applied'> & AppliedFunctions;

/** Those that take long are logged one by one: a large table may need an hour. */
const LONG_MS = 5000;

/**
 * A new database gets all migrations and the functions in one transaction, so that no other session ever sees tables without their triggers. Where there is a
 * schema, each migration is a step of its own, and holds its locks on tables in use no longer than it needs.
 */
async function applySchema(database: Database, files: SchemaFiles, options: MigrateOptions): Promise<AppliedSchema> {
  const { migrations } = files;
  const onApplied = tellApplied(files, options);
  const before = await appliedChecksums(database);
  if (before.size === 0) {
    return takeTurn(database, 'the schema', options, async (tx) => {
      const applied = await applyMigrations(tx, database, migrations, onApplied);
      return { applied, ...(await applyFunctions(tx, database, files, options)) };
    });
  }
  const applied: string[] = [];
  for (const one of migrations) {
    // At most starts nothing is left to do: no step takes its turn.
    if (before.get(one.version) === one.checksum) continue;
    const step = (tx: Queryable) => applyMigrations(tx, database, [one], onApplied);
    applied.push(...(await takeTurn(database, one.name, options, step)));
  }
  const rest = (tx: Queryable) => applyFunctions(tx, database, files, options);
  return { applied, ...(await takeTurn(database, 'functions/*.sql', options, rest)) };
}

/** In one transaction. Returns the names of those that were not applied before. */
async function applyMigrations(
  tx: Queryable,
  database: Database,
  migrations: readonly Migration[],
  onApplied: (migration: Migration, durationMs: number) => void,
): Promise<readonly string[]> {
  const before = await appliedChecksums(tx);
  const wrong = migrations.find(({ version, checksum }) => (before.get(version) ?? checksum) !== checksum);
  if (wrong) throw changed(wrong, before.get(wrong.version)!);
  const missing = migrations.filter(({ version }) => !before.has(version));
  for (const migration of missing) {
    const startedMs = performance.now();
    await applyFile(tx, database, migration.name, migration.sql);
    onApplied(migration, Math.round(performance.now() - startedMs));
  }
  if (missing.length === 0) return [];
  // Not one by one: to migration 10, the rows of 1 and 2 from one transaction mean a restored dump, in which a young queue named work is ours.
  await recordMigrations(tx, missing);
  if ((await readUnfinished(tx)) !== 'functions') await setUnfinished(tx, 'roles');
  return missing.map(({ name }) => name);
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

/** Shows how far it is, and logs each. */
function tellApplied({ migrations }: SchemaFiles, { log = silentLog, onProgress }: MigrateOptions) {
  return ({ name, version }: Migration, durationMs: number): void => {
    onProgress?.({ done: version, of: migrations.length });
    log[durationMs > LONG_MS ? 'info' : 'debug']({ migration: name, duration_ms: durationMs }, 'applied a migration');
  };
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
