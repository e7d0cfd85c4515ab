/** What the watchdog of a daemon does about its work when the daemon itself cannot. */
import { openPostgres } from '../postgres/postgres.ts';
import { reportBlock } from './daemons.ts';

export interface StandingLoop {
  readonly seconds: number;
  /** When the work may be claimed: after this interval, or null, when the leases would have ended. */
  readonly pause: string | null;
}

/** Gives everything that the daemon has claimed back, as suspected, on a connection of its own. Returns how many items that were. */
export async function giveUpDaemon(
  connectionString: string,
  daemonId: string,
  { seconds, pause }: StandingLoop,
): Promise<number> {
  const db = openPostgres(connectionString, { poolSize: 1, applicationName: 'animus watchdog', prepare: false });
  try {
    const [row] = await db.query<{ items: number }>(`select animus.give_up_daemon($1, $2::interval) as items`, [
      daemonId,
      pause,
    ]);
    await reportBlock(db, daemonId, { seconds, again: false });
    return row!.items;
  } finally {
    await db.close();
  }
}
