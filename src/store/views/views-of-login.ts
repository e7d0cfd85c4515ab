/** Which views show a login work. */
import type { Queryable } from '../sql/database.ts';

/** `animus.visible_…`: what the actor may see. `animus.own_…`: what a login has submitted that may do nothing else, with fewer columns. */
export type Views = 'visible' | 'own';

/**
 * The views that the login may read. A member of a role that sees all work reads `visible_…`: if the role has lost its rights, reading is refused, and does not
 * show the work of the login alone as if it were all. Errors: `db.forbidden`.
 */
export async function viewsOfLogin(db: Queryable): Promise<Views> {
  const [row] = await db.query<{ sees: boolean; role: boolean }>(
    `select has_table_privilege('animus.work_items', 'select') as sees, not has_table_privilege('animus.own_work', 'select')
         or exists (select from pg_roles r where r.rolname in ('animus_reader', 'animus_operator', 'animus_daemon') and pg_has_role(r.oid, 'usage')) as role`,
  );
  const { sees, role } = row!;
  if (!sees && role) await db.query('select from animus.work_items limit 0');
  return sees || role ? 'visible' : 'own';
}
