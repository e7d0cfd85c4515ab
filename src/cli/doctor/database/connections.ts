/** Compares the connections that a daemon uses with what its login, the database and the server allow. */
import { type ConnectionLimit, readConnectionLimits } from '../../../store/postgres/connection-limits.ts';
import type { Database } from '../../../store/sql/database.ts';
import { quotedName } from '../../../store/sql/database-errors.ts';
import { type Finding, problem } from '../../../terminal/view/finding.ts';

/** A finding for each limit that one daemon alone would reach. `poolSize`: `daemon.pool_size`; one more connection listens. */
export async function examineConnections(db: Database, poolSize: number): Promise<readonly Finding[]> {
  if (db.kind === 'embedded') return [];
  const needed = poolSize + 1;
  return (await readConnectionLimits(db, needed)).map((limit) =>
    problem(
      'connections',
      `${whose(limit)} ${limit.limit === 1 ? '1 connection' : `${limit.limit} connections`}, and a daemon uses up to ${needed}: daemon.pool_size and one to listen`,
      `${raise(limit, needed)} (for several daemons, that many for each), or lower daemon.pool_size`,
    ),
  );
}

function whose({ kind, name }: ConnectionLimit): string {
  if (kind === 'server') return 'max_connections of the server leaves';
  return kind === 'role' ? `the login ${name} may have` : `the database ${name} allows`;
}

function raise({ kind, name }: ConnectionLimit, needed: number): string {
  if (kind === 'server') return 'raise max_connections, and restart the server';
  return `alter ${kind} ${quotedName(name)} connection limit ${needed}`;
}
