/** Messages of conversations and their files as the actor may see them, in the transaction of a gateway. */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import type { ChatAttachment, ChatMessage } from './read-conversation.ts';

/** Where a message stands on the branch that is shown: an answer stands at the message that it answers. */
export type MessagePlace = readonly [at: string, id: string];

/**
 * The messages of the branch that is shown after a place, in order. A place stays valid when its message is deleted or replaced. The whole
 * conversation is read in the database for each page.
 */
export async function readMessagesAfter(
  tx: Queryable,
  conversationId: string,
  after: MessagePlace | null,
  limit: number,
): Promise<(ChatMessage & { readonly at: string })[]> {
  const [at = null, id = null] = after ?? [];
  return tx.query<ChatMessage & { readonly at: string }>(
    `with placed as materialized (
       select m.*, case when m.role = 'user' and not m.told then m.id else coalesce(v.after_id, 0) end as at
         from animus.conversation_messages($1) m join animus.visible_chat_messages v on v.id = m.id)
     select id::text, role, content, author, created_at as "createdAt", replaces::text, work_item_id as "workItemId", told, ended_as as "endedAs",
            state, attachments, at::text
       from placed p where $2::bigint is null or (p.at, p.id) > ($2, $3::bigint) order by p.at, p.id limit $4`,
    [conversationId, at, id, limit],
  );
}

/** One message of a conversation, on any branch. Errors: `work.not_found`, also for one that was deleted. */
export async function readVisibleMessage(tx: Queryable, conversationId: string, id: string): Promise<ChatMessage> {
  const [row] = await tx.query<ChatMessage>(
    `select m.id::text, m.role, m.content, m.author, m.created_at as "createdAt", m.replaces::text, m.work_item_id as "workItemId", m.told,
            m.ended_as as "endedAs", w.state, null as attachments
       from animus.visible_chat_messages m left join animus.visible_work w on w.id = m.work_item_id
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
    `select a.id, a.name, a.media_type, a.bytes::float8 as bytes, a.created_at, m.id::text as message
       from animus.visible_chat_messages m join animus.visible_work w on w.id = m.work_item_id
       join animus.visible_artifacts a on a.work_item_id = w.id
      where m.file_id = $1::uuid and m.role = 'user' and not m.told and a.focus_id is null and w.params -> 'attachments' ? a.id::text
        and ($2::uuid is null or a.id > $2) order by a.id limit $3`,
    [conversationId, after, limit],
  );
}
