/** Finds the Unix socket of a connection string. */
import { Client } from 'pg';
import { hostsOf } from './host-choice.ts';

/** The Unix socket of a Postgres server on this host. */
export interface UnixSocket {
  /** Absolute path. */
  readonly directory: string;
  /** The path of the socket in this directory. */
  readonly file: string;
}

/** Returns the socket that the driver would open, of several hosts the first one's, from the string, PGHOST and PGPORT; null for a network address. */
export function unixSocketOf(connectionString: string): UnixSocket | null {
  // Remove the certificate parameters: the driver would open the files they name.
  const withoutFiles = hostsOf(connectionString).urls[0]!.replace(/([?&])ssl[a-z]*=[^&]*/g, '$1');
  const { host, port } = new Client({ connectionString: withoutFiles });
  return host.startsWith('/') ? { directory: host, file: `${host}/.s.PGSQL.${port}` } : null;
}
