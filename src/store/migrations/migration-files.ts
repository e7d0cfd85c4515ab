/** The SQL files of the schema: numbered migrations, which never change, and functions, which are re-applied when they change. */
import { createHash } from 'node:crypto';
import { readdir, readFile } from 'node:fs/promises';
import { fileURLToPath } from 'node:url';
import { AnimusError } from '../../core/errors/errors.ts';

/** One file. `checksum` is the hex SHA-256 of its content, line ends as LF. */
export interface SqlFile {
  readonly name: string;
  readonly sql: string;
  readonly checksum: string;
}

export interface Migration extends SqlFile {
  readonly version: number;
}

export interface SchemaFiles {
  /** By ascending version, without gaps, from 1. */
  readonly migrations: readonly Migration[];
  /** By name. */
  readonly functions: readonly SqlFile[];
}

/** `migrations/` beside `src/`. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../../migrations/', import.meta.url));

/** Reads `NNNN_verb_noun.sql` and `functions/*.sql`. Errors: as `schemaFileNames`. */
export async function readSchemaFiles(directory = MIGRATIONS_DIRECTORY): Promise<SchemaFiles> {
  const { migrations, functions } = await schemaFileNames(directory);
  return {
    migrations: await Promise.all(
      migrations.map(async (name, index) => ({ ...(await readSql(directory, name)), version: index + 1 })),
    ),
    functions: await Promise.all(functions.map((name) => readSql(`${directory}/functions`, name))),
  };
}

/**
 * The names of the same files, in the same order: migration N is at N − 1. Errors: `db.migration_failed` for a misnamed file, a gap or a
 * number used twice.
 */
export async function schemaFileNames(
  directory = MIGRATIONS_DIRECTORY,
): Promise<{ readonly migrations: readonly string[]; readonly functions: readonly string[] }> {
  const migrations = (await sqlNames(directory)).filter((name) => name !== 'schema.sql');
  for (const [index, name] of migrations.entries()) {
    const version = /^(\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/.exec(name)?.[1];
    if (!version) throw misplaced(name, 'its name should look like 0001_create_tables.sql');
    const expected = String(index + 1).padStart(4, '0');
    if (version !== expected) throw misplaced(name, `its number should be ${expected}`);
  }
  return { migrations, functions: await sqlNames(`${directory}/functions`) };
}

function misplaced(file: string, detail: string): AnimusError {
  return new AnimusError('db.migration_failed', { file, detail });
}

async function sqlNames(directory: string): Promise<string[]> {
  try {
    return (await readdir(directory)).filter((name) => name.endsWith('.sql')).sort();
  } catch (error) {
    if ((error as { code?: unknown }).code === 'ENOENT') return [];
    throw error;
  }
}

async function readSql(directory: string, name: string): Promise<SqlFile> {
  // A checkout on Windows may turn LF into CRLF; that is the same migration.
  const sql = (await readFile(`${directory}/${name}`, 'utf8')).replaceAll('\r\n', '\n');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
