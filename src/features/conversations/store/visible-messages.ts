/** Messages of conversations and their files as the actor may see them, in the transaction of a gateway. */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import type { ChatAttachment, ChatMessage } from './message.ts';
import { withNumbers } from './message-numbers.ts';

/** Where a message stands on the branch that is shown: an answer stands at the message that it answers. */
export type MessagePlace = readonly [at: string, id: string];

export interface PlacedMessage extends ChatMessage {
  readonly at: string;
  readonly [column: string]: unknown;
}

/** The messages of the branch that is shown after a place, in order. A place stays valid when its message is deleted or replaced. */
export async function readMessagesAfter(
  tx: Queryable,
  conversationId: string,
  after: MessagePlace | null,
  limit: number,
): Promise<PlacedMessage[]> {
  const [at, id] = after ?? ['-1', '0'];
  const messages = await tx.query<PlacedMessage>(
    `select id::text, role, content, author, created_at as "createdAt", replaces::text, work_item_id as "workItemId", told, ended_as as "endedAs",
            state, attachments, place::text as at
       from animus.conversation_page($1, $2::bigint, $3::bigint, $4)`,
    [conversationId, at, id, limit],
  );
  return withNumbers(tx, conversationId, messages);
}

/** The messages of the branch that is shown before a place, the newest first. */
export async function readMessagesBefore(
  tx: Queryable,
  conversationId: string,
  before: MessagePlace | null,
  limit: number,
): Promise<PlacedMessage[]> {
  const [at, id] = before ?? [null, null];
  const messages = await tx.query<PlacedMessage>(
    `select id::text, role, content, author, created_at as "createdAt", replaces::text, work_item_id as "workItemId", told, ended_as as "endedAs",
            state, attachments, place::text as at
       from animus.conversation_newest($1, $2::bigint, $3::bigint, $4)`,
    [conversationId, at, id, limit],
  );
  return withNumbers(tx, conversationId, messages);
}

/** One message of a conversation, on any branch. Errors: `work.not_found`, also for one that was deleted. */
export async function readVisibleMessage(tx: Queryable, conversationId: string, id: string): Promise<ChatMessage> {
  const [row] = await tx.query<ChatMessage>(
    `select m.id::text, m.number, r.number as "replacesNumber", m.role, m.content, m.author, m.created_at as "createdAt", m.replaces::text, m.work_item_id as "workItemId", m.told,
            m.ended_as as "endedAs", w.state, null as attachments
       from animus.visible_chat_messages m left join animus.visible_work w on w.id = m.work_item_id
       left join animus.visible_chat_messages r on r.id = m.replaces
      where m.file_id = $1::uuid and m.id = $2::bigint`,
    [conversationId, id],
  );
  if (row === undefined) throw new AnimusError('work.not_found', { detail: `no message ${id}` });
  return row;
}

/** Files that came with messages of a conversation, on all branches, oldest first, after one of them. `message` is the id of the message. */
export async function readConversationFiles(
  tx: Queryable,
  conversationId: string,
  after: string | null,
  limit: number,
): Promise<(ChatAttachment & { readonly created_at: Date; readonly message: string })[]> {
  return tx.query<ChatAttachment & { readonly created_at: Date; readonly message: string }>(
    `select f.id, a.name, f.media_type, f.bytes::float8 as bytes, f.path, f.created_at,
            (select min(m.message_id)::text from animus.visible_message_files m where m.file_id = f.id) as message
       from animus.visible_files f join animus.visible_artifacts a on a.id = f.id
      where f.conversation_id = $1::uuid and ($2::uuid is null or f.id > $2) order by f.id limit $3`,
    [conversationId, after, limit],
  );
}
