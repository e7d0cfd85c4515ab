/** Finds the Unix socket that a connection string refers to. */
import { Client } from 'pg';

/** A Postgres server on this host, reached without TCP. */
export interface UnixSocket {
  /** Absolute. */
  readonly directory: string;
  /** The socket itself, in it. */
  readonly file: string;
}

/** The socket that the driver would open, according to the string, PGHOST and PGPORT; null for a network address. */
export function unixSocketOf(connectionString: string): UnixSocket | null {
  // The driver would open the files that these name.
  const withoutFiles = connectionString.replace(/([?&])ssl[a-z]*=[^&]*/g, '$1');
  const { host, port } = new Client({ connectionString: withoutFiles });
  return host.startsWith('/') ? { directory: host, file: `${host}/.s.PGSQL.${port}` } : null;
}
