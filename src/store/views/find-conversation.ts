import type { IdReference } from '../../core/work/id-reference.ts';
import type { Queryable } from '../sql/database.ts';

/** Conversations of the actor whose id is one of those that a reference names, newest first; at most six. */
export async function conversationsNamed(
  db: Queryable,
  { from, to, start, ending }: IdReference,
): Promise<{ readonly id: string; readonly faculty: string; readonly title: string }[]> {
  return db.query('select id, faculty, title from animus.find_conversation($1, $2, $3, $4)', [from, to, start, ending]);
}
