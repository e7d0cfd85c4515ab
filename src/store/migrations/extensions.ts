/**
 * pgmq and pgvector: used as extensions if the server has them; otherwise pgmq is installed from the SQL in its npm
 * package.
 */
import { readFile } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import { hasPgmq } from '../sql/pgmq.ts';
import { inPgmqSchema, PGMQ, pgmqSchema } from '../sql/pgmq-schema.ts';
import { readValue } from '../sql/read-value.ts';
import { attempt } from './attempt.ts';
import { readTarGz } from './tar.ts';

/** How pgmq was installed. */
export type PgmqInstall = 'present' | 'extension' | 'packaged';

/** Whether memory can search by vector; `reason` says why not, for `animus status`. */
export interface VectorSupport {
  readonly vector: boolean;
  readonly reason: string | null;
}

/**
 * Installs pgmq unless its function `create` exists; the extension is for the schema `pgmq` only. Idempotent; call it under the migration lock, after
 * choosePgmqSchema and requirePgmqRights. Errors: `db.extension_missing`.
 */
export async function installPgmq(tx: Queryable): Promise<PgmqInstall> {
  if (await hasPgmq(tx)) return 'present';
  const schema = await pgmqSchema(tx);
  const offered = await readValue<boolean>(
    tx,
    `select exists (select from pg_available_extensions where name = 'pgmq')`,
  );
  if (offered && schema.name === PGMQ && (await attempt(tx, 'create extension if not exists pgmq cascade')) === null)
    return 'extension';
  await tx.query(`create schema if not exists ${schema.ident}`);
  await tx.query(inPgmqSchema(await packagedPgmq(), schema));
  return 'packaged';
}

/**
 * Creates the extension `vector` if the server has it and permits it. Idempotent; call it under the migration lock. Does not reject when
 * the extension is unavailable.
 */
export async function installVector(tx: Queryable): Promise<VectorSupport> {
  const [found] = await tx.query<{ present: boolean; offered: boolean }>(
    `select exists (select from pg_extension where extname = 'vector') as present,
            exists (select from pg_available_extensions where name = 'vector') as offered`,
  );
  if (found?.present) return { vector: true, reason: null };
  if (!found?.offered) return { vector: false, reason: 'the server does not have the extension pgvector' };
  const refusal = await attempt(tx, 'create extension if not exists vector');
  return { vector: refusal === null, reason: refusal };
}

async function packagedPgmq(): Promise<string> {
  const archive = createRequire(import.meta.url)
    .resolve('@electric-sql/pglite-pgmq')
    .replace(/[^/\\]+$/, 'pgmq.tar.gz');
  const file = readTarGz(await readFile(archive), (path) => /(^|\/)pgmq--[\d.]+\.sql$/.test(path));
  if (!file) throw new AnimusError('db.extension_missing', { archive });
  return file.text;
}
