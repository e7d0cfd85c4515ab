/** Tables of animus on which somebody has switched row security on: it hides rows, and refuses new ones, without an error that says why. */
import type { Queryable } from '../sql/database.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';

export interface SecuredTable {
  /** Such as `animus.work_items`. */
  readonly table: string;
  /** It applies to the owner, and so to the functions of animus. */
  readonly forced: boolean;
  /** It applies to this login: what it reads may lack rows. */
  readonly hides: boolean;
  readonly owner: string;
}

/** Reads the catalogue only. */
export function readSecuredTables(db: Queryable): Promise<SecuredTable[]> {
  return db.query<SecuredTable>(
    `select format('%I.%I', n.nspname, c.relname) as table, pg_get_userbyid(c.relowner)::text as owner, row_security_active(c.oid) as hides,
            c.relforcerowsecurity and not exists (select from pg_roles r where r.oid = c.relowner and (r.rolsuper or r.rolbypassrls)) as forced
       from pg_class c join pg_namespace n on n.oid = c.relnamespace
      where c.relrowsecurity and (n.nspname = 'animus' or n.nspname = ${PGMQ_SCHEMA} and c.relname ~ '^[qa]_animus_') order by 1`,
  );
}
