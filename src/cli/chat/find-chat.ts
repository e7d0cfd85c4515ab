/** Finds a conversation by what a person types. */
import { AnimusError } from '../../core/errors/errors.ts';
import { conversationsLike } from '../../store/conversations/read-conversation.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { FULL_ID } from '../../store/views/find-work.ts';

/** The id of the conversation. Errors: `usage.invalid`, also for one that ends like others. */
export async function findChat(db: Queryable, given: string): Promise<string> {
  const id = given.toLowerCase();
  if (FULL_ID.test(id)) return id;
  const like = /^[0-9a-f-]{4,}$/.test(id) ? await conversationsLike(db, id) : [];
  if (like.length === 1) return like[0]!;
  const detail =
    like.length > 1
      ? `several conversations end in ${given}: give more digits`
      : `no conversation ends in ${given}; to list them: animus chat list`;
  throw new AnimusError('usage.invalid', { detail });
}
