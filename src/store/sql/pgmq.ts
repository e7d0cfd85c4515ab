/** pgmq-js, the client library of pgmq, on connections of ours: for metrics and administration of queues. */
import { EventEmitter } from 'node:events';
import type { Pgmq } from 'pgmq-js';
import type { Queryable } from './database.ts';
import { inPgmqSchema, PGMQ_SCHEMA, type PgmqSchema, pgmqSchema } from './pgmq-schema.ts';
import { readValue } from './read-value.ts';

/** A condition: whether pgmq is there. Any role may ask; to_regprocedure fails for one without rights on the schema. */
export const HAS_PGMQ = `exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace
  where n.nspname = ${PGMQ_SCHEMA} and p.proname = 'create' and p.pronargs = 1 and p.proargtypes[0] = 'text'::regtype)`;

/** Whether pgmq is there. Any role may ask. */
export async function hasPgmq(db: Queryable): Promise<boolean> {
  return readValue<boolean>(db, `select ${HAS_PGMQ}`);
}

type Settings = Parameters<typeof Pgmq.new>[0];

/**
 * Opens it on a pool, or on one transaction, which makes everything it does atomic. There is nothing to
 * close. The library is loaded at the first call: only few commands need it, and running work never does.
 *
 * Errors: those of `db`. Not for concurrent use on one transaction.
 */
export async function openPgmq(db: Queryable): Promise<Pgmq> {
  const { Pgmq } = await import('pgmq-js');
  const settings = {
    Client: borrowing(db, await pgmqSchema(db)),
    max: 1,
    // The library has defaults for missing settings: without an idle time-out it uses 1,000 as the size of its pool.
    idleTimeoutMillis: 0,
    connectionTimeoutMillis: 0,
    ssl: false,
  };
  // Its type knows only the settings of a server, but it passes all of them to pg-pool, which accepts `Client`.
  return Pgmq.new(settings as object as Settings, { skipExtensionCreation: true });
}

/**
 * Poses as a client of pg-pool. With its own connection, the library would need the password and the TLS settings again,
 * could not join a transaction, and would crash the process if the connection broke, because its pool has no error listener.
 */
function borrowing(db: Queryable, schema: PgmqSchema): new () => EventEmitter {
  return class extends EventEmitter {
    connect(connected: (error?: Error) => void): void {
      connected();
    }

    async query(sql: string, params?: readonly unknown[]): Promise<{ rows: object[] }> {
      return { rows: await db.query(inPgmqSchema(sql, schema), params) };
    }

    end(ended: () => void): void {
      ended();
    }
  };
}
