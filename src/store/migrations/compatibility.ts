/** Checks whether this version of animus and a database's schema are compatible. */
import { AnimusError, isAnimusError } from '../../core/errors/errors.ts';
import type { Database } from '../sql/database.ts';
import { isMissingObject } from '../sql/database-errors.ts';
import { readValue } from '../sql/read-value.ts';
import { hasFunctionFiles, migrationNames, readSchemaFiles } from './migration-files.ts';
import { foreignOwner, hasFunctions, schemaVersion } from './schema-version.ts';

/** One line per migration and function file, for `animus db status`. */
export interface MigrationStatus {
  readonly version: number;
  readonly needed: number;
  readonly migrations: readonly {
    readonly version: number;
    readonly name: string;
    readonly state: 'applied' | 'pending' | 'changed' | 'unknown';
    readonly appliedAt: Date | null;
  }[];
  /** Names of function files that are missing or differ. */
  readonly staleFunctions: readonly string[];
}

/** Compares files and database without changing anything. `unknown` is a migration of a later animus. */
export async function migrationStatus(database: Database, directory?: string): Promise<MigrationStatus> {
  const files = await readSchemaFiles(directory);
  const version = await schemaVersion(database);
  const there = await readValue<boolean>(database, `select to_regclass('animus.schema_functions') is not null`);
  const applied = there
    ? await database.query<{ version: number; name: string; checksum: string; applied_at: Date }>(
        'select version, name, checksum, applied_at from animus.schema_migrations order by version',
      )
    : [];
  const functions = there
    ? await database.query<{ name: string; checksum: string }>('select name, checksum from animus.schema_functions')
    : [];
  const byVersion = new Map(applied.map((row) => [row.version, row]));
  const checksums = new Map(functions.map((row) => [row.name, row.checksum]));
  const own = files.migrations.map((file) => {
    const row = byVersion.get(file.version);
    const state = !row ? 'pending' : row.checksum === file.checksum ? 'applied' : 'changed';
    return { version: file.version, name: file.name, state, appliedAt: row?.applied_at ?? null } as const;
  });
  const later = applied
    .filter((row) => row.version > files.migrations.length)
    .map((row) => ({ version: row.version, name: row.name, state: 'unknown', appliedAt: row.applied_at }) as const);
  return {
    version,
    needed: files.migrations.length,
    migrations: [...own, ...later],
    staleFunctions: files.functions
      .filter((file) => checksums.get(file.name) !== file.checksum)
      .map((file) => file.name),
  };
}

/**
 * Refuses a schema that this animus does not support: `db.not_migrated`, `db.schema_older`, and `db.schema_newer` when
 * the schema's `min_client` (a schema version, in animus.settings) is above this animus's own.
 */
export async function checkCompatible(database: Database, directory?: string): Promise<void> {
  // The names are enough: every command calls this, and reading all files takes longer than the queries.
  const needed = (await migrationNames(directory)).length;
  if (await isAtLeast(database, needed)) return;
  const schema = await schemaVersion(database);
  const unfinished = schema === needed && (await hasFunctionFiles(directory)) && !(await hasFunctions(database));
  if (schema === 0 || unfinished) throw new AnimusError('db.not_migrated', { where: database.where });
  if (schema < needed) {
    const foreign = await foreignOwner(database);
    const hint = foreign ? ` as the schema's owner ${foreign.owner} (${foreign.role} may not)` : '';
    throw new AnimusError('db.schema_older', { schema, needed, hint });
  }
  const [minimum] = await database.query<{ min_client: number | null }>(
    `select (value #>> '{}')::int as min_client from animus.settings where key = 'min_client'`,
  );
  const least = minimum?.min_client ?? 0;
  if (least > needed) {
    throw new AnimusError('db.schema_newer', { needed: least, have: needed });
  }
}

/**
 * One look, which is enough for nearly every command: all migrations have been applied, the functions after them, and no later client is needed. False where
 * it takes a closer look, such as at a database without the schema.
 */
async function isAtLeast(database: Database, needed: number): Promise<boolean> {
  try {
    const [found] = await database.query<{ enough: boolean }>(
      `select max(version) >= $1 and to_regprocedure('animus.visible_status()') is not null
              and not exists (select from animus.settings where key = 'min_client' and (value #>> '{}')::int > $1) as enough
         from animus.schema_migrations`,
      [needed],
    );
    return found?.enough === true;
  } catch (error) {
    if (isMissingObject(error) || isAnimusError(error, 'db.forbidden')) return false;
    throw error;
  }
}
