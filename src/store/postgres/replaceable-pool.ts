/** A connection pool that is replaced as a whole when one connection is lost, because a server restart breaks all of them. */
import { Pool, type PoolClient, type PoolConfig } from 'pg';
import { GuardedClient } from './guarded-client.ts';

/** A connection taken from the pool; must be given back exactly once. */
export interface TakenClient {
  readonly client: PoolClient;
  readonly from: Pool;
}

export interface ReplaceablePool {
  /** Takes a free connection or opens a new one. Rejects as pg-pool does, and if all are in use for `connectionTimeoutMillis`. */
  take(): Promise<TakenClient>;
  giveBack(taken: TakenClient, broken: boolean): void;
  /** Replaces the pool that this connection came from, if that is still the current one. Waiting callers get a connection of the new pool. */
  replace(lost: TakenClient): void;
  inUse(): number;
  /**
   * Resolves when every connection has been given back and is closed. Connections that have not been given back after
   * `patienceMs` (default 5,000) are closed forcibly, because a statement over a dead network would never return.
   */
  close(patienceMs?: number): Promise<void>;
}

const CLOSE_PATIENCE_MS = 5_000;

/** Opens a pool. `onIdleError` is called for connections that break while idle; the next call replaces them. */
export function openReplaceablePool(config: PoolConfig, onIdleError: (error: Error) => void): ReplaceablePool {
  const open = (): Pool => new Pool({ ...config, Client: GuardedClient }).on('error', onIdleError);
  let pool = open();
  let closing = false;
  const ending = new Set<Promise<void>>();
  const taken = new Set<PoolClient>();
  /** Callers that wait for a connection of the current pool; each is called when it is replaced. */
  const waiting = new Set<() => void>();

  /** Null if the pool was replaced in the meantime. */
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
        // Their statements fail because the connection is lost, and then the callers give them back.
        for (const client of taken) void (client as unknown as GuardedClient).close(0);
      }, patienceMs);
      await Promise.all([pool.end(), ...ending]);
      clearTimeout(timer);
    },
  };
}
