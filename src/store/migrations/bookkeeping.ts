/** The tables that record which migrations were applied to a database. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { readValue, readValues } from '../sql/read-value.ts';
import { migrationError } from './migration-errors.ts';
import type { Migration } from './migration-files.ts';

/** Creates schema `animus` and its version tables if they are missing. Idempotent; concurrent callers all succeed. */
export async function makeBookkeeping(database: Database): Promise<void> {
  for (let again = 5; ; again--) {
    try {
      await database.query(BOOKKEEPING);
      return;
    } catch (error) {
      if (again > 0 && RACED.has(sqlState(error) ?? '')) continue;
      throw await migrationError(error, database, 'the schema animus');
    }
  }
}

/**
 * Writes the rows of animus.schema_migrations that somebody has deleted, if the schema is that of these migrations (`lacks` is empty). Rows are deleted when there are
 * later ones, or tables without any row. Errors: `db.migration_failed` for a schema that is another one.
 */
export async function restoreRecord(
  tx: Queryable,
  migrations: readonly Migration[],
  lacks: () => Promise<readonly unknown[]>,
): Promise<string[]> {
  const known = await readValues<number>(tx, 'select version from animus.schema_migrations');
  const hasWork = await readValue<boolean>(tx, `select to_regclass('animus.work_items') is not null`);
  const last = Math.max(0, ...known);
  if (known.length >= last && !(last === 0 && hasWork)) return [];
  if ((await lacks()).length > 0)
    throw new AnimusError('db.migration_failed', { file: 'animus.schema_migrations', detail: DELETED });
  const deleted = migrations.filter(({ version }) => !known.includes(version));
  await recordMigrations(tx, deleted);
  return [`${deleted.length} rows of animus.schema_migrations were missing`];
}

/** Records that migrations were applied. */
export async function recordMigrations(tx: Queryable, migrations: readonly Migration[]): Promise<void> {
  await tx.query(
    `insert into animus.schema_migrations (version, name, checksum) select * from unnest($1::int[], $2::text[], $3::text[])`,
    [
      migrations.map(({ version }) => version),
      migrations.map(({ name }) => name),
      migrations.map(({ checksum }) => checksum),
    ],
  );
}

const DELETED =
  'rows were deleted from it, and the schema is not the one of this animus, so it is unclear which migrations were applied; restore the table from a backup, or migrate with the version of animus that last used the schema';

/** The errors of "if not exists" when another session creates the same object at the same time. */
const RACED = new Set(['23505', '42P06', '42P07', '42710']);

const BOOKKEEPING = `
  create schema if not exists animus;
  create table if not exists animus.schema_migrations (
    version int primary key,
    name text not null,
    checksum text not null,
    applied_at timestamptz not null default clock_timestamp()
  );
  create table if not exists animus.schema_functions (
    name text primary key,
    checksum text not null,
    applied_at timestamptz not null default clock_timestamp()
  );
  create table if not exists animus.schema_functions_replaced (
    checksum text primary key,
    replaced_at timestamptz not null default clock_timestamp()
  );`;
