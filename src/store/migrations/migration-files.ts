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
  /** In the order in which they are applied. */
  readonly functions: readonly SqlFile[];
}

/** `migrations/` beside `src/`. */
export const MIGRATIONS_DIRECTORY = fileURLToPath(new URL('../../../migrations/', import.meta.url));

/** Reads `NNNN_verb_noun.sql`, `functions/*.sql` and the folders of parts there. Errors: as `schemaFileNames`. */
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
 * The names of the same files, in the same order: migration N is at N − 1; a file of a part is `PART/NAME.sql`. Errors: `db.migration_failed` for a
 * misnamed file, a gap or a number used twice, and for a folder of functions without a place in `order.txt`.
 */
export async function schemaFileNames(
  directory = MIGRATIONS_DIRECTORY,
): Promise<{ readonly migrations: readonly string[]; readonly functions: readonly string[] }> {
  return { migrations: await migrationNames(directory), functions: await functionNames(`${directory}/functions`) };
}

/** The first half of them. */
export async function migrationNames(directory = MIGRATIONS_DIRECTORY): Promise<readonly string[]> {
  const migrations = (await sqlNames(directory)).filter((name) => name !== 'schema.sql');
  for (const [index, name] of migrations.entries()) {
    const version = /^(\d{4})_[a-z0-9]+(?:_[a-z0-9]+)*\.sql$/.exec(name)?.[1];
    if (!version) throw misplaced(name, 'its name should look like 0001_create_tables.sql');
    const expected = String(index + 1).padStart(4, '0');
    if (version !== expected) throw misplaced(name, `its number should be ${expected}`);
  }
  return migrations;
}

/** Whether there are functions to apply behind the migrations. */
export async function hasFunctionFiles(directory = MIGRATIONS_DIRECTORY): Promise<boolean> {
  return (await functionNames(`${directory}/functions`)).length > 0;
}

/** Files by name; the folder of each part where `order.txt` says. */
async function functionNames(directory: string): Promise<string[]> {
  const places = await placesOf(directory);
  const names = (await sqlNames(directory)).map((name) => ({ name, key: name }));
  for (const part of await folderNames(directory)) {
    const place = places.get(part);
    if (place === undefined) throw misplaced(`functions/${part}`, 'order.txt does not say where it comes');
    const files = await sqlNames(`${directory}/${part}`);
    names.push(...files.map((name) => ({ name: `${part}/${name}`, key: `${place}/${name}` })));
  }
  return names.toSorted((one, other) => (one.key < other.key ? -1 : 1)).map(({ name }) => name);
}

/** What stands in front of the files of each part to sort them: behind those of its number, in the order of the list. */
async function placesOf(directory: string): Promise<ReadonlyMap<string, string>> {
  const text = await readFile(`${directory}/order.txt`, 'utf8').catch(nothingIfAbsent);
  const lines = [...(text ?? '').matchAll(/^(\d\d) (\w+)$/gm)];
  return new Map(lines.map(([, number, part], index) => [part!, `${number}_~${String(index).padStart(3, '0')}`]));
}

async function folderNames(directory: string): Promise<string[]> {
  const entries = await readdir(directory, { withFileTypes: true }).catch(nothingIfAbsent);
  return (entries ?? []).filter((entry) => entry.isDirectory()).map(({ name }) => name);
}

function misplaced(file: string, detail: string): AnimusError {
  return new AnimusError('db.migration_failed', { file, detail });
}

async function sqlNames(directory: string): Promise<string[]> {
  const names = await readdir(directory).catch(nothingIfAbsent);
  return (names ?? []).filter((name) => name.endsWith('.sql')).sort();
}

function nothingIfAbsent(error: unknown): null {
  if ((error as { code?: unknown }).code === 'ENOENT') return null;
  throw error;
}

async function readSql(directory: string, name: string): Promise<SqlFile> {
  // A checkout on Windows may turn LF into CRLF; that is the same migration.
  const sql = (await readFile(`${directory}/${name}`, 'utf8')).replaceAll('\r\n', '\n');
  return { name, sql, checksum: createHash('sha256').update(sql).digest('hex') };
}
