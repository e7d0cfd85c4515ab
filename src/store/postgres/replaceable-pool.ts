/** A pool of connections that is replaced as a whole when one of them is lost: connections die together, when a server restarts. */
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { GuardedClient } from './guarded-client.ts';

/** A connection out of the pool, to be given back exactly once. */
export interface TakenClient {
  readonly client: PoolClient;
  readonly from: Pool;
}

export interface ReplaceablePool {
  /** A connection, free or new. Rejects as pg-pool does, also when all were in use for `connectionTimeoutMillis`. */
  take(): Promise<TakenClient>;
  giveBack(taken: TakenClient, broken: boolean): void;
  /** Hands out no connection of this one's generation any more. Callers that wait for one get a new one. */
  replace(lost: TakenClient): void;
  inUse(): number;
  /**
   * Resolves when every connection has been given back and is closed. After `patienceMs`, default 5,000, those that have not been given
   * back are ended: a statement in a network that swallows everything would hold whoever closes for ever.
   */
  close(patienceMs?: number): Promise<void>;
}

const CLOSE_PATIENCE_MS = 5_000;

/** `onIdleError` hears of connections that broke while nobody used them; they are replaced on the next call. */
export function openReplaceablePool(config: PoolConfig, onIdleError: (error: Error) => void): ReplaceablePool {
  const open = (): Pool => new Pool({ ...config, Client: GuardedClient }).on('error', onIdleError);
  let pool = open();
  let closing = false;
  const ending = new Set<Promise<void>>();
  const taken = new Set<PoolClient>();
  /** Those who wait for a connection of the present pool; called when it is replaced. */
  const waiting = new Set<() => void>();

  /** Null when the pool was replaced in the meantime. */
  const connect = (from: Pool): Promise<PoolClient | null> =>
    new Promise((resolve, reject) => {
      const replaced = () => resolve(null);
      waiting.add(replaced);
      from
        .connect()
        .then((client) => {
          if (from !== pool && !closing) client.release(true);
          else resolve(client);
        }, reject)
        .finally(() => waiting.delete(replaced));
    });

  return {
    async take() {
      for (;;) {
        const from = pool;
        const client = await connect(from);
        if (!client) continue;
        taken.add(client);
        return { client, from };
      }
    },
    giveBack({ client }, broken) {
      taken.delete(client);
      client.release(broken);
    },
    replace({ from }) {
      if (from !== pool || closing) return;
      pool = open();
      const ended: Promise<void> = from.end().finally(() => ending.delete(ended));
      ending.add(ended);
      for (const replaced of waiting) replaced();
    },
    inUse: () => pool.totalCount - pool.idleCount,
    async close(patienceMs = CLOSE_PATIENCE_MS) {
      closing = true;
      const timer = setTimeout(() => {
        // What they were asked fails as a lost connection, and then they are given back.
        for (const client of taken) void (client as unknown as GuardedClient).close(0);
      }, patienceMs);
      await Promise.all([pool.end(), ...ending]);
      clearTimeout(timer);
    },
  };
}
