/** Compares the connections that a daemon uses with what its login, the database and the server allow. */
import { type ConnectionLimit, readConnectionLimits } from '../../../store/postgres/connection-limits.ts';
import type { Database } from '../../../store/sql/database.ts';
import { quotedName } from '../../../store/sql/database-errors.ts';
import { type Finding, problem } from '../../../terminal/view/finding.ts';
import { counted } from '../../../terminal/view/quantities.ts';

/** A finding for each limit that one daemon alone would reach. `poolSize`: `daemon.pool_size`; one more connection listens. */
export async function examineConnections(db: Database, poolSize: number): Promise<readonly Finding[]> {
  if (db.kind === 'embedded') return [];
  const needed = poolSize + 1;
  return (await readConnectionLimits(db, needed)).map((limit) => {
    const detail = `${whose(limit)} ${counted(limit.limit, 'connection')}, and a daemon uses up to ${needed}: daemon.pool_size plus one to listen`;
    const remedy = `${raise(limit, needed)} (with several daemons, that many for each), or lower daemon.pool_size`;
    return problem('connections', detail, remedy);
  });
}

function whose({ kind, name }: ConnectionLimit): string {
  if (kind === 'server') return 'max_connections of the server leaves';
  return kind === 'role' ? `the login ${name} may have` : `the database ${name} allows`;
}

function raise({ kind, name }: ConnectionLimit, needed: number): string {
  if (kind === 'server') return 'raise max_connections, and restart the server';
  return `alter ${kind} ${quotedName(name)} connection limit ${needed}`;
}
