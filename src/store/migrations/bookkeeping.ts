/** The tables that record which migrations were applied to a database. */
import type { Database } from '../sql/database.ts';
import { sqlState } from '../sql/database-errors.ts';
import { migrationError } from './migration-errors.ts';

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
