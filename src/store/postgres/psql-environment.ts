/** Passes a connection to libpq programs through the environment, so that the password is not visible in the process list. */
import { Client } from 'pg';
import { hostsOf } from './replaceable-pool.ts';

/** Maps parameters of a connection string to libpq's environment variables. */
const VARIABLES: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
};

/**
 * Returns libpq's variables for a connection string that `openPostgres` accepts. `sslmode` has libpq's meaning, which is
 * weaker than the driver's. Variables that are undefined must be removed from the caller's environment: they would make
 * psql connect to another server.
 */
export function psqlEnvironment(connectionString: string): Record<string, string | undefined> {
  const { urls, target } = hostsOf(connectionString);
  const clients = urls.map((url) => new Client({ connectionString: url }));
  const { user, database, password } = clients[0]!;
  const environment: Record<string, string | undefined> = {
    PGAPPNAME: 'animus db psql',
    PGHOST: clients.map(({ host }) => host).join(','),
    PGPORT: clients.map(({ port }) => port).join(','),
    PGTARGETSESSIONATTRS: target === 'primary' ? 'read-write' : undefined,
    PGHOSTADDR: undefined,
    PGSERVICE: undefined,
  };
  if (user) environment['PGUSER'] = user;
  if (database) environment['PGDATABASE'] = database;
  if (typeof password === 'string') environment['PGPASSWORD'] = password;
  const query = connectionString.split('?')[1] ?? '';
  for (const [name, value] of new URLSearchParams(query)) {
    const variable = VARIABLES[name];
    if (variable !== undefined) environment[variable] = value;
  }
  return environment;
}
