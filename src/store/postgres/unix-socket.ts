/** Finds the Unix sockets of a connection string. */
import { Client } from 'pg';
import { hostsOf } from './replaceable-pool.ts';

/** The Unix socket of a Postgres server on this host. */
export interface UnixSocket {
  /** Absolute path. */
  readonly directory: string;
  /** The path of the socket in this directory. */
  readonly file: string;
}

/** Returns the sockets that the driver may open, from the string, PGHOST and PGPORT: one for each host that is not a network address. */
export function unixSocketsOf(connectionString: string): readonly UnixSocket[] {
  return hostsOf(connectionString).urls.flatMap((url) => {
    // Remove the certificate parameters: the driver would open the files they name.
    const withoutFiles = url.replace(/([?&])ssl[a-z]*=[^&]*/g, '$1');
    const { host, port } = new Client({ connectionString: withoutFiles });
    return host.startsWith('/') ? [{ directory: host, file: `${host}/.s.PGSQL.${port}` }] : [];
  });
}
