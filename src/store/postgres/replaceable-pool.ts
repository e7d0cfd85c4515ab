/**
 * A connection pool that is replaced as a whole when one connection is lost, because a server restart breaks all of them; and the choice of the host that
 * connections go to.
 */
import { Client, type ClientBase, Pool, type PoolClient, type PoolConfig, type QueryConfig } from 'pg';
import { messageOf } from '../../core/errors/errors.ts';
import { type DatabaseHosts, databaseHosts } from '../../core/text/addresses.ts';
import { isDatabaseError } from '../sql/database-errors.ts';
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
/** How long a host may take to say whether it is a standby, if the pool has no time-out. */
const CHECK_MS = 10_000;

/** The pool waits for it, although its types do not say so, and fails the call with what it rejects with. */
type Connected = (client: ClientBase) => Promise<void>;

/**
 * Opens a pool. `onIdleError` is called for connections that break while idle; the next call replaces them. All connections are to the same one of the hosts of
 * `connectionString`; if that cannot be reached, the pool is replaced by one to the next.
 */
export function openReplaceablePool(
  { connectionString, ...config }: PoolConfig & { readonly connectionString: string },
  onIdleError: (error: Error) => void,
): ReplaceablePool {
  const hosts = chooseHosts(connectionString);
  const onConnect: Connected = async (client) => {
    await hosts.check(client, config.connectionTimeoutMillis ?? CHECK_MS);
    await (config.onConnect as Connected | undefined)?.(client);
  };
  const open = (): Pool => {
    const options = { ...config, connectionString: hosts.current(), Client: GuardedClient, onConnect };
    return new Pool(options).on('error', onIdleError);
  };
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

  const replace = (from: Pool): void => {
    if (from !== pool || closing) return;
    pool = open();
    const ended: Promise<void> = from.end().finally(() => ending.delete(ended));
    ending.add(ended);
    for (const replaced of waiting) replaced();
  };

  return {
    async take() {
      const failures: HostFailure[] = [];
      for (;;) {
        const from = pool;
        const url = hosts.current();
        const client = await connect(from).catch((error: unknown) => {
          if (closing || !isOfHost(error)) throw error;
          failures.push({ url, error });
          if (from === pool && hosts.count > 1) {
            hosts.next();
            replace(from);
          }
          if (failures.length >= hosts.count) throw failedAt(failures);
          return null;
        });
        if (!client) continue;
        taken.add(client);
        return { client, from };
      }
    },
    giveBack({ client }, broken) {
      taken.delete(client);
      client.release(broken);
    },
    replace: ({ from }) => replace(from),
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

/** Of one pool or listener. It stays at a host until that one cannot be reached or is a standby. */
export interface HostChoice {
  readonly count: number;
  /** The connection string of the host to use now. */
  current(): string;
  /** Uses the next one from now on. */
  next(): void;
  /** Rejects for a standby, if the primary is wanted. */
  check(client: Pick<ClientBase, 'query'>, withinMs: number): Promise<void>;
}

export function chooseHosts(connectionString: string): HostChoice {
  const { urls, target } = hostsOf(connectionString);
  let at = 0;
  return {
    count: urls.length,
    current: () => urls[at]!,
    next: () => {
      at = (at + 1) % urls.length;
    },
    async check(client, withinMs) {
      if (target === 'any') return;
      const asked = {
        text: 'select pg_catalog.pg_is_in_recovery() as standby',
        query_timeout: withinMs,
      } as QueryConfig;
      const { rows } = await client.query<{ standby: boolean }>(asked);
      if (rows[0]!.standby) throw new StandbyError();
    },
  };
}

/** A connection string that cannot be read is one host here: the driver refuses it. */
export function hostsOf(connectionString: string): DatabaseHosts {
  const hosts = databaseHosts(connectionString);
  return 'urls' in hosts ? hosts : { urls: [connectionString], target: 'any' };
}

class StandbyError extends Error {
  constructor() {
    super('it is a standby, which cannot be written to');
  }
}

/** What was tried at one host. */
export interface HostFailure {
  readonly url: string;
  readonly error: unknown;
}

/**
 * Whether another host may do better: this one cannot be reached, is starting or stopping, or is a standby. As with libpq, not after a login was refused. A
 * pool whose connections are all in use has not tried its host.
 */
export function isOfHost(error: unknown): boolean {
  if (isDatabaseError(error)) return ['57P01', '57P02', '57P03'].includes(error.code ?? '');
  return !messageOf(error).startsWith('timeout exceeded when trying to connect');
}

/** Of one host its own error, of several an error that names each. */
export function failedAt(failures: readonly HostFailure[]): unknown {
  const last = failures.at(-1)!;
  if (failures.length === 1) return last.error;
  const said = failures.map(({ url, error }) => `${nameOf(url)}: ${messageOf(error) || 'it cannot be reached'}`);
  return new Error(said.join('; '), { cause: last.error });
}

function nameOf(connectionString: string): string {
  const { host, port } = new Client({ connectionString });
  return `${host}:${port}`;
}
