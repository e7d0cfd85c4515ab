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

/** The conversation to go on with: by its id or the end of it, or the latest one (`true`, `last`), of this faculty if one is given. Errors: `usage.invalid`, `work.not_found`. */
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
  if (chat === null)
    throw new AnimusError('work.not_found', {
      detail: `no conversation ${id}`,
      hint: '; to list them: animus chat list',
    });
  if (faculty === undefined || faculty === chat.faculty) return chat;
  const detail = `the conversation is one with ${chat.faculty}; to change that, resume it without a faculty and use /faculty ${faculty}`;
  throw new AnimusError('usage.invalid', { detail });
}

/** The id of the conversation. Errors: `work.not_found`; `usage.invalid` if several end like that. */
export async function findChat(db: Queryable, given: string): Promise<string> {
  const id = given.toLowerCase();
  if (FULL_ID.test(id)) return id;
  const like = /^[0-9a-f-]{4,}$/.test(id) ? await conversationsLike(db, id) : [];
  if (like.length === 1) return like[0]!;
  if (like.length > 1) {
    throw new AnimusError('usage.invalid', { detail: `several conversations end in ${given}: give more digits` });
  }
  throw new AnimusError('work.not_found', {
    detail: `no conversation ends in ${given}`,
    hint: '; to list them: animus chat list',
  });
}
