/** Reads the version of a database's schema. */
import type { Queryable } from '../sql/database.ts';

/** The version of the schema in the database, 0 when there is none. */
export async function schemaVersion(database: Queryable): Promise<number> {
  const [found] = await database.query<{ there: boolean }>(
    `select to_regclass('animus.schema_migrations') is not null as there`,
  );
  if (!found?.there) return 0;
  const [row] = await database.query<{ version: number }>(
    'select coalesce(max(version), 0)::int as version from animus.schema_migrations',
  );
  return row?.version ?? 0;
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
