/** Reads how many connections the server leaves to daemons. */
import type { Queryable } from '../sql/database.ts';

/** A limit that is lower than what was asked for. */
export interface ConnectionLimit {
  readonly kind: 'role' | 'database' | 'server';
  /** The role or database; for the server, `max_connections`. */
  readonly name: string;
  readonly limit: number;
}

const LIMITS = `
select 'role' as kind, r.rolname::text as name, r.rolconnlimit as "limit"
  from pg_roles r
 where not r.rolsuper and r.rolconnlimit between 0 and $1 - 1
   and r.rolname = session_user
   and (exists (select from pg_roles g where g.rolname = 'animus_daemon' and pg_has_role(r.oid, g.oid, 'member'))
        or exists (select from pg_namespace n where n.nspname = 'animus' and n.nspowner = r.oid))
union all
select 'database', d.datname, d.datconnlimit from pg_database d where d.datname = current_database() and d.datconnlimit between 0 and $1 - 1
union all
select 'server', 'max_connections', s.free
  from (select current_setting('max_connections')::int - current_setting('superuser_reserved_connections')::int
               - coalesce(current_setting('reserved_connections', true), '0')::int as free) s where s.free < $1
 order by 1, 2`;

/** The limits that leave fewer than `needed` connections: of this login, if daemons may use it, of the database, and of the server. */
export async function readConnectionLimits(db: Queryable, needed: number): Promise<readonly ConnectionLimit[]> {
  return db.query<ConnectionLimit>(LIMITS, [needed]);
}
