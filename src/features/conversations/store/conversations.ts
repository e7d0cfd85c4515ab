/** Conversations and workspaces: thin calls of the SQL functions (migrations/functions/conversations). */
import { AnimusError } from '../../../core/errors/errors.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { sqlState } from '../../../store/sql/database-errors.ts';
import { toJsonb, toText } from '../../../store/sql/json.ts';

/** What happens to a message that comes while an answer is being given. */
export const WHILE_ANSWERING = ['queue', 'tell'] as const;
export type WhileAnswering = (typeof WHILE_ANSWERING)[number];

export interface NewConversation {
  readonly workspaceId: string;
  readonly faculty: string;
  /** A relative path that ends in `.chat`; default: `chats/ID.chat`. */
  readonly path?: string | undefined;
  readonly title?: string | undefined;
  /** Default `queue`. */
  readonly whileAnswering?: WhileAnswering | undefined;
}

/** A message that was added. `told`: it went into the answer that the item is giving; otherwise the item will answer it. */
export interface SaidMessage {
  readonly messageId: string;
  readonly workItemId: string;
  readonly told: boolean;
}

/** Creates a workspace of the actor, or finds the one of that name; returns its id. */
export async function createWorkspace(db: Queryable, name: string): Promise<string> {
  const [row] = await db.query<{ id: string }>('select animus.create_workspace($1) as id', [toText(name)]);
  return row!.id;
}

/** Renames a workspace of the actor. Errors: `work.not_found`; `work.state`: the actor has one of that name; `work.invalid`. */
export async function renameWorkspace(db: Queryable, id: string, name: string): Promise<void> {
  await db.query('select animus.rename_workspace($1, $2)', [id, toText(name)]);
}

/** Deletes a workspace of the actor. Errors: `work.not_found`; `work.state`: it has conversations, or deleted ones that are not removed yet. */
export async function deleteWorkspace(db: Queryable, id: string): Promise<void> {
  await db.query('select animus.delete_workspace($1)', [id]);
}

/**
 * Begins a conversation and returns its id, which is that of its file. Errors: `work.not_found`, `work.invalid`, `work.state` if the workspace has a
 * file at the path.
 */
export async function startConversation(db: Queryable, begin: NewConversation): Promise<string> {
  const { workspaceId, faculty, path = null, title = '', whileAnswering = 'queue' } = begin;
  const given = [workspaceId, faculty, path === null ? null : toText(path), toText(title), whileAnswering];
  try {
    const sql = 'select animus.start_conversation($1, $2, $3, $4, $5) as id';
    const [row] = await db.query<{ id: string }>(sql, given);
    return row!.id;
  } catch (error) {
    if (sqlState(error) !== '23505') throw error;
    throw new AnimusError('work.state', { detail: `the workspace has a file ${path}` }, { cause: error });
  }
}

/** Changes what is given. */
export async function changeConversation(
  db: Queryable,
  id: string,
  change: Partial<Pick<NewConversation, 'faculty' | 'title' | 'whileAnswering'>>,
): Promise<void> {
  await db.query('select animus.change_conversation($1, $2, $3, $4)', [
    id,
    change.faculty ?? null,
    change.title === undefined ? null : toText(change.title),
    change.whileAnswering ?? null,
  ]);
}

/** What somebody may do in a conversation in which they take part (docs/conversations.md). */
export const CHAT_ROLES = ['owner', 'member'] as const;
export type ChatRole = (typeof CHAT_ROLES)[number];

export interface Participation {
  readonly changed: boolean;
  /** False: nobody has used animus by this name, and it is not listed. */
  readonly known: boolean;
}

/** Adds somebody who takes part, or gives them another role. Without a role, it stays, and is `member` for somebody new. */
export async function setParticipant(
  db: Queryable,
  id: string,
  actor: string,
  role: ChatRole | null = null,
): Promise<Participation> {
  const [row] = await db.query<{ changed: boolean }>('select animus.set_participant($1, $2, false, $3) as changed', [
    id,
    actor,
    role,
  ]);
  // A statement of its own: it has to see what the first one did.
  const [then] = await db.query<{ known: boolean }>('select animus.participant_known($1, $2) as known', [id, actor]);
  return { ...row!, ...then! };
}

/** What is said to somebody who invites a person that is not known. */
export function unknownActor(actor: string): string {
  return `nobody has used animus as ${actor} yet: the first who comes by this name takes part`;
}

/** Removes somebody who takes part; returns whether that changed anything. */
export async function removeParticipant(db: Queryable, id: string, actor: string): Promise<boolean> {
  const [row] = await db.query<{ changed: boolean }>('select animus.set_participant($1, $2, true) as changed', [
    id,
    actor,
  ]);
  return row!.changed;
}

/** Adds a message, with a work item for its answer unless it is told into the answer under way. At most 64 KiB. */
export async function sayInConversation(
  db: Queryable,
  id: string,
  text: string,
  params: Readonly<Record<string, unknown>> = {},
  traceContext: string | null = null,
): Promise<SaidMessage> {
  const [row] = await db.query<SaidMessage>(
    `select message_id::text as "messageId", work_item_id as "workItemId", told
       from animus.say_in_conversation($1, $2, $3::jsonb, $4)`,
    [id, toText(text), toJsonb(params), traceContext],
  );
  return row!;
}

/** Puts other words in the place of a message, on a branch of its own. */
export async function editMessage(
  db: Queryable,
  messageId: string,
  text: string,
  traceContext: string | null = null,
): Promise<Omit<SaidMessage, 'told'>> {
  const [row] = await db.query<Omit<SaidMessage, 'told'>>(
    'select message_id::text as "messageId", work_item_id as "workItemId" from animus.edit_message($1::bigint, $2, $3)',
    [messageId, toText(text), traceContext],
  );
  return row!;
}

/** Asks for another answer to a message, given by its id or that of its answer. */
export async function retryMessage(
  db: Queryable,
  messageId: string,
  traceContext: string | null = null,
): Promise<Omit<SaidMessage, 'told'>> {
  const [row] = await db.query<Omit<SaidMessage, 'told'>>(
    'select message_id::text as "messageId", work_item_id as "workItemId" from animus.retry_message($1::bigint, $2)',
    [messageId, traceContext],
  );
  return row!;
}

/** Marks a message or an answer as deleted; false if it was before. */
export async function deleteMessage(db: Queryable, messageId: string): Promise<boolean> {
  const [row] = await db.query<{ done: boolean }>('select animus.delete_message($1::bigint) as done', [messageId]);
  return row!.done;
}

/** Hides a conversation and cancels its answers; retention removes it with its items. */
export async function deleteConversation(db: Queryable, id: string): Promise<void> {
  await db.query('select animus.delete_conversation($1)', [id]);
}

/** A message as it is imported. */
export interface ImportedMessage {
  readonly role: 'user' | 'assistant' | 'system';
  readonly content: string;
  readonly author?: string | undefined;
  readonly created_at?: string | undefined;
}

/** Adds messages without work items to an empty conversation; returns how many. */
export async function importMessages(db: Queryable, id: string, messages: readonly ImportedMessage[]): Promise<number> {
  const [row] = await db.query<{ count: number }>('select animus.import_messages($1, $2::jsonb) as count', [
    id,
    toJsonb(messages),
  ]);
  return row!.count;
}

/** Attaches a file to the item of a message, in the transaction that added it (`animus.attach_file`). Errors: `work.invalid`. */
export async function attachToMessage(
  db: Queryable,
  workItemId: string,
  file: { readonly name: string; readonly content: Uint8Array },
): Promise<void> {
  await db.query('select animus.attach_file($1, $2, $3)', [workItemId, toText(file.name), Buffer.from(file.content)]);
}
