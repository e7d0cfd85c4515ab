/** Finds a conversation by what a person types. */
import { AnimusError } from '../../core/errors/errors.ts';
import {
  type ConversationRow,
  conversationsLike,
  conversationsTitled,
  findConversation,
  listConversations,
} from '../../store/conversations/read-conversation.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { FULL_ID } from '../../store/views/find-work.ts';

/** Stands for the latest conversation. */
const LATEST = 'last';

/** The conversation to go on with: by its id or its title, or the latest one (`true`, `last`), of this faculty if one is given. Errors: `usage.invalid`, `work.not_found`. */
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
  const id = await findChatOrTitle(db, given);
  const chat = await findConversation(db, id);
  if (chat === null)
    throw new AnimusError('work.not_found', {
      detail: `no conversation ${id}`,
      hint: LIST_HINT,
    });
  if (faculty === undefined || faculty === chat.faculty) return chat;
  const detail = `the conversation is one with ${chat.faculty}; to change that, resume it without a faculty and use /faculty ${faculty}`;
  throw new AnimusError('usage.invalid', { detail });
}

/** The id of the conversation, by its id or at least 4 digits of its end or its beginning. Errors: `work.not_found`; `usage.invalid` if several fit. */
export async function findChat(db: Queryable, given: string): Promise<string> {
  const found = await chatWithId(db, given);
  if (found !== null) return found;
  throw new AnimusError('work.not_found', { detail: `no conversation has the id ${given}`, hint: LIST_HINT });
}

/** Also finds it by a part of its title, which is too vague for commands that delete. Errors: as `findChat`. */
async function findChatOrTitle(db: Queryable, given: string): Promise<string> {
  const found = await chatWithId(db, given);
  if (found !== null) return found;
  const [only, other] = given.trim() === '' ? [] : await conversationsTitled(db, given.trim());
  if (other !== undefined) {
    const detail = `several conversations have ${given} in their title: give more of it, or the id${LIST_HINT}`;
    throw new AnimusError('usage.invalid', { detail });
  }
  if (only !== undefined) return only;
  throw new AnimusError('work.not_found', {
    detail: `no conversation has the id or the title ${given}`,
    hint: LIST_HINT,
  });
}

const LIST_HINT = '; to list them: animus chat list';

async function chatWithId(db: Queryable, given: string): Promise<string | null> {
  const id = given.trim().toLowerCase();
  if (FULL_ID.test(id)) return id;
  const [only, other] = /^[0-9a-f-]{4,}$/.test(id) ? await conversationsLike(db, id) : [];
  if (other === undefined) return only ?? null;
  throw new AnimusError('usage.invalid', {
    detail: `several conversations have an id like ${given}: give more digits`,
  });
}
