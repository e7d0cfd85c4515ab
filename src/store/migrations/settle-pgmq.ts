/** pgmq's functions run in the sessions of applications, as the server makes these. */
import type { Queryable } from '../sql/database.ts';
import { PGMQ_SCHEMA } from '../sql/pgmq-schema.ts';

/**
 * Gives `pgmq.format_table_name`, which `send` and every other function of a queue calls, the settings on which its text depends, where this role may: its
 * literals are not SQL without standard_conforming_strings, and a function `lower` of an application before pg_catalog names another table. Idempotent.
 */
export async function settlePgmq(tx: Queryable): Promise<void> {
  const rows = await tx.query<{ sql: string }>(
    `select format('alter function %s.format_table_name(%s) set search_path = pg_catalog, pg_temp set standard_conforming_strings = on',
              p.pronamespace::regnamespace, pg_get_function_identity_arguments(p.oid)) as sql
       from pg_proc p where p.pronamespace = to_regnamespace(quote_ident(${PGMQ_SCHEMA})) and p.proname = 'format_table_name' and p.proconfig is null and pg_has_role(p.proowner, 'usage')`,
  );
  for (const { sql } of rows) await tx.query(sql);
}
