/** Checks what a database supports, without changing anything. */
import { randomUUID } from 'node:crypto';
import { systemClock } from '../../core/lifecycle/clock.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { HAS_PGMQ } from '../sql/pgmq.ts';
import { openNotifications } from './notifications.ts';

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

/**
 * Returns by how many milliseconds this host's clock is ahead of the database's; negative if it is behind. It compares with
 * the middle of the round trip, so that a slow connection does not look like a difference.
 */
export async function clockAheadMs(db: Queryable): Promise<number> {
  const askedMs = Date.now();
  const [row] = await db.query<{ now: string }>(`select (extract(epoch from clock_timestamp()) * 1000)::text as now`);
  return Math.round((askedMs + Date.now()) / 2 - Number(row!.now));
}
