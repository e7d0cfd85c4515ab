/** How far the schema of a database is. */
import type { Queryable } from './database.ts';

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
