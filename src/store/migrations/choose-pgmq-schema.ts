/** Chooses the schema of the queues, while animus is installed. Afterwards it stays. */

import { PGMQ_SCHEMA_NAME, PGMQ_SCHEMA_NAME_RULE } from '../../core/config/reach.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { hasPgmq } from '../sql/pgmq.ts';
import { PGMQ, type PgmqSchema, pgmqSchema, RECORDED_PGMQ_SCHEMA, recordPgmqSchema } from '../sql/pgmq-schema.ts';
import { readValue } from '../sql/read-value.ts';
import { schemaVersion } from './schema-version.ts';

/** The schema of an installation; null: there is none yet, or only its first step. */
export async function settledPgmqSchema(db: Queryable): Promise<string | null> {
  const recorded = await readValue<string | null>(db, `select ${RECORDED_PGMQ_SCHEMA}`);
  return recorded ?? ((await schemaVersion(db)) > 0 ? PGMQ : null);
}

/** Why ANIMUS_PGMQ_SCHEMA does not apply to an installation, in words. */
export function otherSchemaText(settled: string, wanted: string): string {
  return `the queues of animus are in the schema ${settled}, and ANIMUS_PGMQ_SCHEMA is ${wanted}; the variable only takes effect when animus is installed, and queues are not moved: unset it, or set it to ${settled}`;
}

/** `wanted`: ANIMUS_PGMQ_SCHEMA, or null. Errors: `db.refused` if the queues are somewhere else. */
export async function refuseOtherSchema(database: Database, wanted: string | null): Promise<void> {
  const settled = wanted === null ? null : await settledPgmqSchema(database);
  if (wanted !== null && settled !== null && settled !== wanted)
    throw refused(database, otherSchemaText(settled, wanted));
}

/**
 * Returns the schema of the installation, or records the one that is wanted; default `pgmq`. Under the migration lock. Errors: `db.refused` for a name or
 * a schema that cannot be used.
 */
export async function choosePgmqSchema(tx: Queryable, database: Database, wanted: string | null): Promise<PgmqSchema> {
  if (wanted !== null && wanted !== PGMQ && (await settledPgmqSchema(tx)) === null) {
    if (!PGMQ_SCHEMA_NAME.test(wanted)) {
      throw refused(
        database,
        `${JSON.stringify(wanted)} is not a name for the schema of the queues: expected ${PGMQ_SCHEMA_NAME_RULE}`,
      );
    }
    await recordPgmqSchema(tx, wanted);
    if ((await isUsed(tx, wanted)) && !(await hasPgmq(tx))) {
      throw refused(
        database,
        `the schema ${wanted} has tables or functions and no pgmq; choose a name that is free, or an empty schema`,
      );
    }
  }
  return pgmqSchema(tx);
}

function refused({ where }: Database, detail: string): AnimusError {
  return new AnimusError('db.refused', { where, detail, hint: '' });
}

async function isUsed(tx: Queryable, name: string): Promise<boolean> {
  const [row] = await tx.query<{ used: boolean }>(
    `select exists (select from pg_class c where c.relnamespace = n.oid) or exists (select from pg_proc p where p.pronamespace = n.oid) as used
       from pg_namespace n where n.nspname = $1`,
    [name],
  );
  return row?.used ?? false;
}
