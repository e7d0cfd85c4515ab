/** Who owns the schema. */
import type { Database } from '../sql/database.ts';

/** The owner of the schema and the current role. */
export interface SchemaOwner {
  readonly owner: string;
  readonly role: string;
}

/** The owner of the schema, if the connected role does not have its rights and so may not migrate; otherwise, or without a schema, null. */
export async function foreignOwner(database: Database): Promise<SchemaOwner | null> {
  const [found] = await database.query<SchemaOwner>(
    `select pg_get_userbyid(nspowner) as owner, current_user as role from pg_namespace
      where nspname = 'animus' and not pg_has_role(nspowner, 'usage')`,
  );
  return found ?? null;
}
