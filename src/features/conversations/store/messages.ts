/** What people do with messages: thin calls of the SQL functions (migrations/functions/conversations). */
import type { Queryable } from '../../../store/sql/database.ts';
import { toJsonb, toText } from '../../../store/sql/json.ts';
import { readValue } from '../../../store/sql/read-value.ts';
import { readNumber } from './message-numbers.ts';

/** A message that was added. `told`: it went into the answer that the item is giving; otherwise the item will answer it. */
export interface Said {
  readonly messageId: string;
  readonly workItemId: string;
  readonly told: boolean;
}

/** Adds a message, with a work item for its answer unless it is passed to the answer under way. At most 64 KiB. */
export async function sayInConversation(
  db: Queryable,
  id: string,
  text: string,
  params: Readonly<Record<string, unknown>> = {},
  traceContext: string | null = null,
): Promise<Said> {
  const [said] = await db.query<Said>(
    `select message_id::text as "messageId", work_item_id as "workItemId", told
       from animus.say_in_conversation($1, $2, $3::jsonb, $4)`,
    [id, toText(text), toJsonb(params), traceContext],
  );
  return said!;
}

export interface NewFile {
  readonly name: string;
  readonly content: Uint8Array;
}

/** The same with files, which cannot come with a message that is passed to a running answer; in one transaction. Also returns the number of the message. */
export async function sayWithFiles(
  tx: Queryable,
  id: string,
  text: string,
  files: readonly NewFile[],
  {
    params,
    traceparent,
  }: { readonly params?: Readonly<Record<string, unknown>>; readonly traceparent?: string | null } = {},
): Promise<Said & { readonly number: number }> {
  const said = await sayInConversation(tx, id, text, params, traceparent);
  if (!said.told) for (const one of files) await attachToMessage(tx, said.workItemId, one);
  return { ...said, number: await readNumber(tx, id, said.messageId) };
}

/** Attaches a file to the item of a message, in the transaction that added it (`animus.attach_file`). Errors: `work.invalid`. */
export async function attachToMessage(db: Queryable, workItemId: string, { name, content }: NewFile): Promise<void> {
  await db.query('select animus.attach_file($1, $2, $3)', [workItemId, toText(name), Buffer.from(content)]);
}

/** Edits a message: another one stands in its place, on a branch of its own. */
export async function editMessage(
  db: Queryable,
  messageId: string,
  text: string,
  traceContext: string | null = null,
): Promise<Omit<Said, 'told'>> {
  const [said] = await db.query<Omit<Said, 'told'>>(
    'select message_id::text as "messageId", work_item_id as "workItemId" from animus.edit_message($1::bigint, $2, $3)',
    [messageId, toText(text), traceContext],
  );
  return said!;
}

/** Asks for another answer to a message, given by its id or that of its answer. */
export async function retryMessage(
  db: Queryable,
  messageId: string,
  traceContext: string | null = null,
): Promise<Omit<Said, 'told'>> {
  const [said] = await db.query<Omit<Said, 'told'>>(
    'select message_id::text as "messageId", work_item_id as "workItemId" from animus.retry_message($1::bigint, $2)',
    [messageId, traceContext],
  );
  return said!;
}

/** Marks a message or an answer as deleted; false if it was before. */
export async function deleteMessage(db: Queryable, messageId: string): Promise<boolean> {
  return readValue<boolean>(db, 'select animus.delete_message($1::bigint)', [messageId]);
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
  return readValue<number>(db, 'select animus.import_messages($1, $2::jsonb)', [id, toJsonb(messages)]);
}
