/** Finds a conversation by what a person types. */
import { AnimusError } from '../../core/errors/errors.ts';
import {
  type ConversationRow,
  conversationsLike,
  findConversation,
  listConversations,
} from '../../store/conversations/read-conversation.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { FULL_ID } from '../../store/views/find-work.ts';

/** Stands for the latest conversation. */
const LATEST = 'last';

/** The conversation to go on with: by its id or the end of it, or the latest one (`true`, `last`), of this faculty if one is given. Errors: `usage.invalid`. */
export async function findChatToResume(
  db: Queryable,
  given: string | true,
  faculty: string | undefined,
): Promise<ConversationRow> {
  if (given === true || given === LATEST) {
    const chats = await listConversations(db, 1000);
    const latest = chats.find((chat) => faculty === undefined || chat.faculty === faculty);
    if (latest !== undefined) return latest;
    const whose = faculty === undefined ? '' : ` with ${faculty}`;
    throw new AnimusError('usage.invalid', {
      detail: `there is no conversation${whose}; to begin one, leave out --resume`,
    });
  }
  const id = await findChat(db, given);
  const chat = await findConversation(db, id);
  if (chat === null) throw new AnimusError('work.not_found', { id, detail: `no conversation ${id}` });
  if (faculty === undefined || faculty === chat.faculty) return chat;
  const detail = `the conversation is one with ${chat.faculty}; to change that, resume it without a faculty and use /faculty ${faculty}`;
  throw new AnimusError('usage.invalid', { detail });
}

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
