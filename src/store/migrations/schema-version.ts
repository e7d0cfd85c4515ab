/** The version of a database's schema, and its owner. */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';

/** The version of the schema in the database, 0 when there is none. */
export async function schemaVersion(database: Queryable): Promise<number> {
  if (!(await readValue<boolean>(database, `select to_regclass('animus.schema_migrations') is not null`))) return 0;
  return readValue<number>(database, 'select coalesce(max(version), 0)::int from animus.schema_migrations');
}

/** True once a first migration has finished: the function files come last, all in one transaction. Any role may call it. */
export async function hasFunctions(database: Queryable): Promise<boolean> {
  const [found] = await database.query<{ any: boolean; listed: boolean }>(
    `select exists (select from pg_proc p join pg_namespace n on n.oid = p.pronamespace where n.nspname = 'animus') as any,
            coalesce(has_table_privilege(to_regclass('animus.schema_functions'), 'select'), false) as listed`,
  );
  // Numbered migrations have functions of their own. Only a submitter may not read the list, and it has no rights before the end.
  if (!found?.any || !found.listed) return found?.any ?? false;
  return (await database.query('select from animus.schema_functions limit 1')).length > 0;
}

/** The owner of the schema and the current role. */
export interface SchemaOwner {
  readonly owner: string;
  readonly role: string;
}

/** The owner of the schema, if the connected role does not have its rights and so may not migrate; otherwise, or without a schema, null. */
export async function foreignOwner(database: Queryable): Promise<SchemaOwner | null> {
  const [found] = await database.query<SchemaOwner>(
    `select pg_get_userbyid(nspowner) as owner, current_user as role from pg_namespace
      where nspname = 'animus' and not pg_has_role(nspowner, 'usage')`,
  );
  return found ?? null;
}
