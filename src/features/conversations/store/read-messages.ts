/** Reads the messages of conversations, as a terminal and a gateway may see them. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import type { AttachedFile, ConversationMessage } from './message.ts';
import { withNumbers } from './message-numbers.ts';

const COLUMNS =
  'id::text, role, content, author, created_at, replaces::text, work_item_id, told, ended_as, state, attachments';

/** The messages of the branch that is shown, in order. Errors: `work.not_found`. */
export async function readConversation(db: Queryable, id: string): Promise<ConversationMessage[]> {
  const sql = `select ${COLUMNS} from animus.conversation_messages($1)`;
  return withNumbers(db, id, await db.query<ConversationMessage>(sql, [id]));
}

/** Where a message stands on the branch that is shown: an answer stands at the message that it answers. */
export type MessagePlace = readonly [at: string, id: string];

export interface PlacedMessage extends ConversationMessage {
  readonly at: string;
}

/** The messages of the branch that is shown after a place, in order. A place stays valid when its message is deleted or replaced. */
export function readMessagesAfter(
  tx: Queryable,
  conversationId: string,
  after: MessagePlace | null,
  limit: number,
): Promise<PlacedMessage[]> {
  return readPage(tx, 'conversation_page', conversationId, after ?? ['-1', '0'], limit);
}

/** The messages of the branch that is shown before a place, the newest first. */
export function readMessagesBefore(
  tx: Queryable,
  conversationId: string,
  before: MessagePlace | null,
  limit: number,
): Promise<PlacedMessage[]> {
  return readPage(tx, 'conversation_newest', conversationId, before ?? [null, null], limit);
}

async function readPage(
  tx: Queryable,
  reader: 'conversation_page' | 'conversation_newest',
  conversationId: string,
  [at, id]: MessagePlace | readonly [null, null],
  limit: number,
): Promise<PlacedMessage[]> {
  const messages = await tx.query<PlacedMessage>(
    `select ${COLUMNS}, place::text as at from animus.${reader}($1, $2::bigint, $3::bigint, $4)`,
    [conversationId, at, id, limit],
  );
  return withNumbers(tx, conversationId, messages);
}

/** One message of a conversation, on any branch. Errors: `work.not_found`, also for one that was deleted. */
export async function readVisibleMessage(
  tx: Queryable,
  conversationId: string,
  id: string,
): Promise<ConversationMessage> {
  const [found] = await tx.query<ConversationMessage>(
    `select m.id::text, m.number, r.number as replaces_number, m.role, m.content, m.author, m.created_at, m.replaces::text, m.work_item_id, m.told,
            m.ended_as, w.state, null as attachments
       from animus.visible_chat_messages m left join animus.visible_work w on w.id = m.work_item_id
       left join animus.visible_chat_messages r on r.id = m.replaces
      where m.file_id = $1::uuid and m.id = $2::bigint`,
    [conversationId, id],
  );
  if (found === undefined) throw new AnimusError('work.not_found', { detail: `no message ${id}` });
  return found;
}

/** The newest answer of an item, if there is one. */
export async function readAnswer(
  db: Queryable,
  workItemId: string,
): Promise<Pick<ConversationMessage, 'id' | 'number' | 'content' | 'ended_as'> | null> {
  const [answer] = await db.query<Pick<ConversationMessage, 'id' | 'number' | 'content' | 'ended_as'>>(
    `select id::text, number, content, ended_as
       from animus.own_chat_messages where work_item_id = $1 and role = 'assistant' order by id desc limit 1`,
    [workItemId],
  );
  return answer ?? null;
}

/** Files that came with messages of a conversation, on all branches, oldest first, after one of them. */
export async function readConversationFiles(
  tx: Queryable,
  conversationId: string,
  after: string | undefined,
  limit: number,
): Promise<AttachedFile[]> {
  return tx.query<AttachedFile>(
    `select f.id, a.name, f.media_type, f.bytes::float8 as bytes, f.path, f.created_at,
            (select min(m.message_id)::text from animus.visible_message_files m where m.file_id = f.id) as message_id
       from animus.visible_files f join animus.visible_artifacts a on a.id = f.id
      where f.conversation_id = $1::uuid and ($2::uuid is null or f.id > $2) order by f.id limit $3`,
    [conversationId, after ?? null, limit],
  );
}
