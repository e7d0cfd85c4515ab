/** Who sees all work, and who is an operator. */
import type { Queryable } from '../../sql/database.ts';

/** Errors: `db.forbidden` for an actor that may not see all work. */
export async function requireSeesAll(tx: Queryable): Promise<void> {
  await tx.query('select animus.visible_all()');
}

/** Errors: `db.forbidden` for an actor that is not an operator. */
export async function requireOperator(tx: Queryable): Promise<void> {
  await tx.query('select animus.visible_as_operator()');
}
