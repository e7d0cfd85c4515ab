/** Which views show a login work, and whether they show it an item. */
import { AnimusError } from '../../core/errors/errors.ts';
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

/** Errors: `work.not_found` for an item that the actor may not see. */
export async function requireVisibleWork(tx: Queryable, id: string, views: Views = 'visible'): Promise<void> {
  const [row] = await tx.query(`select from animus.${views}_work where id = $1::uuid`, [id]);
  if (row === undefined) throw noWork(id);
}

/** The error for an item that is not there, or that the actor may not see. */
export function noWork(id: string): AnimusError {
  return new AnimusError('work.not_found', { id, detail: `no work item ${id}` });
}
