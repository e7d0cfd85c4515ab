/**
 * Applies the function files, and puts back what they and the roles have lost. Records which sets of files have been replaced, so that a restarted daemon
 * of an older version does not restore one.
 */
import { createHash } from 'node:crypto';
import { silentLog } from '../../telemetry/silent-log.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { dropChanged, type MendOptions, mendAfter, mends } from './mend-objects.ts';
import { migrationError } from './migration-errors.ts';
import type { SchemaFiles } from './migration-files.ts';
import { schemaVersion } from './schema-version.ts';
import { readUnfinished, setUnfinished } from './unfinished.ts';

export interface AppliedFunctions {
  /** Names of the files: all of them, or none. */
  readonly functions: readonly string[];
  /** What else was put back, in words. */
  readonly mended: readonly string[];
}

const NONE: AppliedFunctions = { functions: [], mended: [] };

/** In one transaction, all files, if one of them has changed, if something of them is missing or changed, or if an earlier step needs them. */
export async function applyFunctions(
  tx: Queryable,
  database: Database,
  files: SchemaFiles,
  options: MendOptions,
): Promise<AppliedFunctions> {
  const { log = silentLog, putBackFunctions = false } = options;
  const known = await tx.query<{ name: string; checksum: string }>(
    'select name, checksum from animus.schema_functions',
  );
  // A later animus may have migrated while we waited for the lock: do not replace its functions.
  if ((await schemaVersion(tx)) > files.migrations.length) return NONE;
  const checksums = new Map(known.map((row) => [row.name, row.checksum]));
  const same =
    files.functions.length === checksums.size &&
    files.functions.every((file) => checksums.get(file.name) === file.checksum);
  const damage = same && mends(options) ? await dropChanged(tx) : [];
  const whole = (await readUnfinished(tx)) !== 'functions' && !damage.some(({ cure }) => cure.by === 'functions');
  if ((!same || !whole) && !putBackFunctions && (await wasReplaced(tx, files.functions))) {
    log.warn(
      {},
      'another version of animus has replaced the SQL functions; they are kept. To restore these: animus db migrate',
    );
    return NONE;
  }
  const functions = same && whole ? [] : await applyFiles(tx, database, files, known);
  if (!mends(options)) return { ...NONE, functions };
  return { functions, mended: await mendAfter(tx, functions.length === 0 ? damage : null) };
}

async function applyFiles(
  tx: Queryable,
  database: Database,
  { functions: files }: SchemaFiles,
  known: readonly { readonly name: string; readonly checksum: string }[],
): Promise<readonly string[]> {
  for (const { name, sql } of files) await applyFile(tx, database, `functions/${name}`, sql);
  await noteReplaced(tx, known, files);
  await tx.query('delete from animus.schema_functions');
  await tx.query(`insert into animus.schema_functions (name, checksum) select * from unnest($1::text[], $2::text[])`, [
    files.map((file) => file.name),
    files.map((file) => file.checksum),
  ]);
  await setUnfinished(tx, 'roles');
  return files.map((file) => file.name);
}

/** Runs a file in a transaction of several; what fails names it. */
export async function applyFile(tx: Queryable, database: Database, name: string, sql: string): Promise<void> {
  try {
    await tx.query(sql);
  } catch (error) {
    throw await migrationError(error, database, name, null);
  }
}

type FunctionFiles = readonly { readonly name: string; readonly checksum: string }[];

/** True when a later set has replaced this one. */
async function wasReplaced(tx: Queryable, files: FunctionFiles): Promise<boolean> {
  const rows = await tx.query('select from animus.schema_functions_replaced where checksum = $1', [checksumOf(files)]);
  return rows.length > 0;
}

/** Records that `next` replaces `before`. */
async function noteReplaced(tx: Queryable, before: FunctionFiles, next: FunctionFiles): Promise<void> {
  await tx.query('delete from animus.schema_functions_replaced where checksum = $1', [checksumOf(next)]);
  if (before.length === 0) return;
  await tx.query('insert into animus.schema_functions_replaced (checksum) values ($1) on conflict do nothing', [
    checksumOf(before),
  ]);
}

/** The checksum of the whole set. */
function checksumOf(files: FunctionFiles): string {
  const lines = files.map(({ name, checksum }) => `${name} ${checksum}\n`).toSorted();
  return createHash('sha256').update(lines.join('')).digest('hex');
}
