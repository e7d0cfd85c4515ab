/** Checks what a database supports, without changing anything. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { HAS_PGMQ } from '../sql/pgmq.ts';
import { readValue } from '../sql/read-value.ts';
import { GuardedClient } from './guarded-client.ts';
import { openNotifications } from './notifications.ts';
import { chooseHosts } from './replaceable-pool.ts';

/** State of pgmq or pgvector: installed, available for installation, or neither. */
export type ExtensionState = 'installed' | 'available' | 'missing';

export interface DatabaseOffer {
  /** The version as the server reports it. */
  readonly version: string;
  /** If it is missing, animus installs the SQL of pgmq's npm package. */
  readonly pgmq: ExtensionState;
  readonly vector: ExtensionState;
}

/** Reads what the server supports. Errors: those of the connection. */
export async function databaseOffer(db: Queryable): Promise<DatabaseOffer> {
  const [row] = await db.query<DatabaseOffer>(
    `select current_setting('server_version') as version,
            case when ${HAS_PGMQ} then 'installed'
                 when exists (select from pg_available_extensions where name = 'pgmq') then 'available'
                 else 'missing' end as pgmq,
            case when exists (select from pg_extension where extname = 'vector') then 'installed'
                 when exists (select from pg_available_extensions where name = 'vector') then 'available'
                 else 'missing' end as vector`,
  );
  return row!;
}

/**
 * Sends a notification to its own LISTEN connection. Returns how long it took in milliseconds, or null if it did not arrive
 * within `withinMs` (default 5,000) or before the signal; that happens behind a pooler that shares sessions. Errors:
 * `db.unreachable`.
 */
export async function notificationMs(
  db: Database,
  { withinMs = 5000, signal }: { readonly withinMs?: number; readonly signal?: AbortSignal } = {},
): Promise<number | null> {
  const channel = `animus_doctor_${randomUUID().replaceAll('-', '')}`;
  const heard = new AbortController();
  const listener = openNotifications(db, [channel], { onNotify: () => heard.abort(), onReconnect: () => {} });
  await listener.start();
  try {
    const startedMs = systemClock.monotonicMs();
    await db.query('select pg_notify($1, $2)', [channel, '']);
    await systemClock.sleep(withinMs, signal ? AbortSignal.any([heard.signal, signal]) : heard.signal);
    return heard.signal.aborted ? systemClock.monotonicMs() - startedMs : null;
  } finally {
    await listener.stop();
  }
}

const ANSWER_MS = 5000;

/**
 * Whether there is a pooler in between: the process of the server that answers is not the one that the greeting named, because a pooler greets with a number of its
 * own. Errors: those of the driver.
 */
export async function isPooled(db: Database): Promise<boolean> {
  const connectionString = chooseHosts(db.connectionString).current();
  const client = new GuardedClient({ connectionString, connectionTimeoutMillis: ANSWER_MS, query_timeout: ANSWER_MS });
  try {
    await client.connectOrClose();
    const { rows } = await client.query<{ pid: number }>('select pg_backend_pid() as pid');
    return rows[0]!.pid !== (client as unknown as { readonly processID: number | null }).processID;
  } finally {
    await client.close(0);
  }
}

/**
 * Returns by how many milliseconds this host's clock is ahead of the database's; negative if it is behind. It compares with
 * the middle of the round trip, so that a slow connection does not look like a difference.
 */
export async function clockAheadMs(db: Queryable): Promise<number> {
  const askedMs = Date.now();
  const nowMs = await readValue<string>(db, `select (extract(epoch from clock_timestamp()) * 1000)::text`);
  return Math.round((askedMs + Date.now()) / 2 - Number(nowMs));
}
