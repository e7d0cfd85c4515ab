/** What the watchdog of a daemon tells the database when the daemon itself cannot: each time on a connection of its own. */
import { openPostgres } from '../../postgres/postgres.ts';
import type { Database } from '../../sql/database.ts';
import { readValue } from '../../sql/read-value.ts';
import { reportBlock } from '../daemons.ts';

export interface StandingLoop {
  readonly seconds: number;
  /** When the work may be claimed: after this interval, or null, when the leases would have ended. */
  readonly pause: string | null;
}

/** Records that the loop is blocked: if the process ends now, its work is the cause. */
export async function reportBlocked(connectionString: string, daemonId: string, seconds: number): Promise<void> {
  await once(connectionString, (db) => reportBlock(db, daemonId, { seconds, over: false }));
}

/** Gives everything that the daemon has claimed back, as suspected. Returns how many items that were. */
export function giveUpDaemon(
  connectionString: string,
  daemonId: string,
  { seconds, pause }: StandingLoop,
): Promise<number> {
  return once(connectionString, async (db) => {
    const items = await readValue<number>(db, `select animus.give_up_daemon($1, $2::interval)`, [daemonId, pause]);
    await reportBlock(db, daemonId, { seconds, over: false });
    return items;
  });
}

async function once<T>(connectionString: string, act: (db: Database) => Promise<T>): Promise<T> {
  const db = openPostgres(connectionString, { poolSize: 1, applicationName: 'animus watchdog', prepare: false });
  try {
    return await act(db);
  } finally {
    await db.close();
  }
}
