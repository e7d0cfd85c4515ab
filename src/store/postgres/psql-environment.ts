/** Passes a connection to libpq's programs by environment, so that no password is visible in the process list. */
import { Client } from 'pg';

/** Parameters of a connection string, as libpq's variables are called. */
const VARIABLES: Readonly<Record<string, string>> = {
  sslmode: 'PGSSLMODE',
  sslrootcert: 'PGSSLROOTCERT',
  sslcert: 'PGSSLCERT',
  sslkey: 'PGSSLKEY',
  options: 'PGOPTIONS',
};

/**
 * For a connection string that `openPostgres` takes. `sslmode` means what libpq says it does, which is weaker than the
 * driver's. What is undefined would, from the caller's own environment, lead psql elsewhere: it has to be left out.
 */
export function psqlEnvironment(connectionString: string): Record<string, string | undefined> {
  const { host, port, user, database, password } = new Client({ connectionString });
  const environment: Record<string, string | undefined> = {
    PGAPPNAME: 'animus db psql',
    PGHOST: host,
    PGPORT: String(port),
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
