/** Where a connection string leads, as messages name it: without user and password. */
import { Client } from 'pg';
import { AnimusError } from '../../core/errors/errors.ts';
import { databaseHosts } from '../../core/text/addresses.ts';
import { hostsOf } from './replaceable-pool.ts';

/** `host:port/database`, several hosts with commas between them, or the path of a socket. Errors: `config.invalid`; `config.unreadable` for a certificate file. */
export function locate(connectionString: string): string {
  const hosts = databaseHosts(connectionString);
  // The driver takes other forms of one host, too.
  if ('expected' in hosts && /,|[?&]target_session_attrs=/.test(connectionString)) throw invalid(hosts.expected);
  const clients = hostsOf(connectionString).urls.map((url) => clientOf(url));
  const { host, port, database } = clients[0]!;
  if (clients.length === 1 && host.startsWith('/')) return `${host}/.s.PGSQL.${port}/${database}`;
  return `${clients.map((one) => `${one.host}:${one.port}`).join(',')}/${database}`;
}

function clientOf(connectionString: string): Client {
  try {
    return new Client({ connectionString });
  } catch (error) {
    // The driver reads certificate files immediately.
    const { code, path } = error as NodeJS.ErrnoException;
    if (code !== 'ERR_INVALID_URL' && path !== undefined) {
      throw new AnimusError('config.unreadable', { file: path, detail: `${code} (named in DATABASE_URL)` });
    }
    throw invalid('postgres://user:password@host:port/database');
  }
}

/** The driver's own message may quote the string, which may contain a password. */
function invalid(expected: string): AnimusError {
  return new AnimusError('config.invalid', {
    file: 'environment',
    key: 'DATABASE_URL',
    expected,
    value: 'not a valid connection string (not shown: it may contain a password)',
  });
}
