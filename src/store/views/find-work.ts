/** Finds the work item or the conversations that a person names by an id or a part of it. */

import { type Candidate, findAtMostOne, type NamedKind, notFound } from '../../core/work/find-one.ts';
import { type IdReference, readIdReference } from '../../core/work/id-reference.ts';
import type { Queryable } from '../sql/database.ts';

/**
 * The id of the one work item that an id, a part of it or its branch names (`readIdReference`), or the id of one of its foci. A login that
 * may not read the table finds its own items. Errors: those of `findOne`.
 */
export async function findWork(db: Queryable, reference: string): Promise<string> {
  return (await findAtMostOne(reference, WORK, (named) => itemsNamed(db, named))) ?? missing(db, reference);
}

const WORK: NamedKind = { kind: 'work item', list: 'animus work list' };

async function itemsNamed(db: Queryable, { from, to, start, ending }: IdReference): Promise<Candidate[]> {
  const found = await db.query<{ id: string; faculty: string; state: string }>(
    'select id, faculty, state from animus.find_work($1, $2, $3, $4)',
    [from, to, start, ending],
  );
  return found.map(({ id, faculty, state }) => ({ id, about: `${faculty}, ${state}` }));
}

/** A branch of a conversation looks like one of an item. */
async function missing(db: Queryable, reference: string): Promise<never> {
  const [conversation] = await conversationsNamed(db, readIdReference(reference)!);
  if (conversation === undefined) throw notFound(reference, WORK);
  throw notFound(reference, WORK, `; a conversation has this id: animus chat show ${conversation.id.slice(-12)}`);
}

/** Conversations of the actor whose id is one of those that a reference names, newest first; at most six. */
export async function conversationsNamed(
  db: Queryable,
  { from, to, start, ending }: IdReference,
): Promise<{ readonly id: string; readonly faculty: string; readonly title: string }[]> {
  return db.query('select id, faculty, title from animus.find_conversation($1, $2, $3, $4)', [from, to, start, ending]);
}
