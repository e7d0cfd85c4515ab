/** Reads conversations for people: lists, the messages of the branch that is shown, and the text of the `.chat` file. */

import type { Queryable } from '../../../store/sql/database.ts';
import type { ChatMessage } from './message.ts';
import { withNumbers } from './message-numbers.ts';

export interface ConversationRow {
  readonly id: string;
  readonly workspaceId: string;
  readonly path: string;
  readonly title: string;
  readonly faculty: string;
  readonly whileAnswering: string;
  readonly createdBy: string;
  readonly createdAt: Date;
  readonly updatedAt: Date;
}

/** The messages of the branch that is shown, in order. Errors: `work.not_found`. */
export async function readConversation(db: Queryable, id: string): Promise<ChatMessage[]> {
  const messages = await db.query<ChatMessage>(
    `select id::text, role, content, author, created_at as "createdAt", replaces::text, work_item_id as "workItemId", told, ended_as as "endedAs", state,
            attachments from animus.conversation_messages($1)`,
    [id],
  );
  return withNumbers(db, id, messages);
}

/** The conversations in which the actor takes part, newest first. */
export async function listConversations(db: Queryable, limit: number): Promise<ConversationRow[]> {
  return db.query<ConversationRow>(
    `select file_id as id, workspace_id as "workspaceId", path, title, faculty, while_answering as "whileAnswering", created_by as "createdBy",
            created_at as "createdAt", updated_at as "updatedAt" from animus.own_conversations order by updated_at desc limit $1`,
    [limit],
  );
}

/** The text of a virtual file and its ETag. Errors: `work.not_found`. */
export async function readVirtualFile(
  db: Queryable,
  id: string,
): Promise<{ readonly content: string; readonly etag: string }> {
  const [row] = await db.query<{ content: string; etag: string }>(
    'select content, etag from animus.read_virtual_file($1)',
    [id],
  );
  return row!;
}

/** The content of a file of a workspace, its media type and its ETag. Errors: `work.not_found`. */
export async function readWorkspaceFile(
  db: Queryable,
  id: string,
): Promise<{ readonly content: Buffer; readonly mediaType: string; readonly etag: string }> {
  const [row] = await db.query<{ content: Buffer; mediaType: string; etag: string }>(
    'select content, media_type as "mediaType", etag from animus.read_workspace_file($1)',
    [id],
  );
  return row!;
}

/** The ids of conversations of the actor with this title, or else with these words in it; at most two. Case does not count. */
export async function conversationsTitled(db: Queryable, title: string): Promise<string[]> {
  const rows = await db.query<{ id: string; whole: boolean }>(
    `select file_id as id, lower(title) = lower($1) as whole from animus.own_conversations
      where strpos(lower(title), lower($1)) > 0 order by whole desc, updated_at desc limit 2`,
    [title],
  );
  const whole = rows.filter((row) => row.whole);
  return (whole.length > 0 ? whole : rows).map(({ id }) => id);
}

/** The conversation of a message, and its newest answer, if there is one. */
export async function readAnswer(db: Queryable, workItemId: string): Promise<ChatMessage | null> {
  const [row] = await db.query<ChatMessage>(
    `select id::text, number, null as "replacesNumber", role, content, author, created_at as "createdAt", replaces::text, work_item_id as "workItemId", told, ended_as as "endedAs",
            null as state, null as attachments
       from animus.own_chat_messages where work_item_id = $1 and role = 'assistant' order by id desc limit 1`,
    [workItemId],
  );
  return row ?? null;
}

/** One conversation of the actor; null if it is not there, was deleted, or the actor does not take part (any more). */
export async function findConversation(db: Queryable, id: string): Promise<ConversationRow | null> {
  const [row] = await db.query<ConversationRow>(
    `select file_id as id, workspace_id as "workspaceId", path, title, faculty, while_answering as "whileAnswering", created_by as "createdBy",
            created_at as "createdAt", updated_at as "updatedAt" from animus.own_conversations where file_id = $1::uuid`,
    [id],
  );
  return row ?? null;
}
