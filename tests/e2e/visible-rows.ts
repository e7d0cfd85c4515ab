/** Everything that a gateway can read for a person: each row of each view that it is granted. */
import type { Database } from '../../src/store/sql/database.ts';

/** By the name of the view; bytes as hexadecimal. */
export async function eachVisibleRow(gateway: Database, person: string): Promise<Record<string, readonly unknown[]>> {
  return gateway.transaction(async (tx) => {
    await tx.query('select animus.act_as($1)', [person]);
    const views = await tx.query<{ name: string }>(
      `select c.relname as name from pg_class c where c.relnamespace = 'animus'::regnamespace and c.relkind in ('v', 'r', 'p')
          and has_table_privilege(c.oid, 'select') order by 1`,
    );
    if (views.length < 20) throw new Error(`a gateway reads only ${views.map(({ name }) => name).join(', ')}`);
    const rows: Record<string, readonly unknown[]> = {};
    for (const { name } of views)
      rows[name] = await tx.query(`select row_to_json(v)::text as row from animus.${name} v limit 1000`);
    return rows;
  });
}
