/** Which of several hosts a connection goes to. */
import { Client, type ClientBase } from 'pg';
import { type DatabaseHosts, databaseHosts } from '../../core/config/database-url.ts';
import { messageOf } from '../../core/errors/errors.ts';
import { isDatabaseError } from '../sql/database-errors.ts';

/** Of one pool or listener. It stays at a host until that one cannot be reached or is a standby. */
export interface HostChoice {
  readonly count: number;
  /** The connection string of the host to use now. */
  current(): string;
  /** Uses the next one from now on. */
  next(): void;
  /** Rejects for a standby, if there are other hosts and the primary is wanted. */
  check(client: Pick<ClientBase, 'query'>): Promise<void>;
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
    async check(client) {
      if (urls.length === 1 || target === 'any') return;
      const { rows } = await client.query<{ standby: boolean }>('select pg_catalog.pg_is_in_recovery() as standby');
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
