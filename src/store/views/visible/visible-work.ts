import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../sql/database.ts';
import type { Views } from '../views-of-login.ts';

/** Errors: `work.not_found` for an item that the actor may not see. */
export async function requireVisibleWork(tx: Queryable, id: string, views: Views = 'visible'): Promise<void> {
  const [row] = await tx.query(`select from animus.${views}_work where id = $1::uuid`, [id]);
  if (row === undefined) throw noWork(id);
}

/** The error for an item that is not there, or that the actor may not see. */
export function noWork(id: string): AnimusError {
  return new AnimusError('work.not_found', { id, detail: `no work item ${id}` });
}
