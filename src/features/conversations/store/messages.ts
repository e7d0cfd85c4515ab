/** Messages of conversations: the shapes of their rows, and thin calls of the SQL functions that change them. */
import { type RowOf, row } from '../../../operations/row.ts';
import type { Schemas } from '../../../operations/schemas.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { toJsonb, toText } from '../../../store/sql/json.ts';
import { readNumber } from './message-numbers.ts';

/** Ids of messages are numbers, as texts because they may be too large for numbers. */
export const MESSAGE_ID = /^[1-9]\d{0,17}$/;
const messageId = ({ z }: Schemas) => z.string().regex(MESSAGE_ID);
const messageNumber = ({ z }: Schemas) =>
  z.int().min(1).describe('in its conversation, from 1 on: the number that people see');

export const file = row((s) =>
  s.z
    .object({
      id: s.id(),
      name: s.z.string(),
      media_type: s.z.string(),
      bytes: s.z.number(),
      path: s.z.string().describe('in the workspace'),
    })
    .meta({ id: 'ChatAttachment' }),
);

/** A file, and the message with which it came. */
export const attachedFile = row((s) =>
  file(s).extend({ created_at: s.time(), message_id: s.z.string() }).meta({ id: 'ChatFile' }),
);
export type AttachedFile = RowOf<typeof attachedFile>;

/** A message as people see it. */
export const message = row((s) =>
  s.z
    .object({
      id: messageId(s),
      number: messageNumber(s),
      role: s.z.enum(['user', 'assistant', 'system']),
      content: s.z.string(),
      author: s.z.string().describe('of an answer `faculty:NAME`'),
      created_at: s.time(),
      replaces: messageId(s).nullable().describe('the message that it stands for, after an edit or a retry'),
      work_item_id: s.id().nullable().describe('the item that answers it, or that gave the answer'),
      told: s.z.boolean().describe('it went into an answer that was being given'),
      ended_as: s.z.enum(['completed', 'dead', 'cancelled']).nullable().describe('of an answer'),
      state: s.workState().nullable().describe('of the item, now'),
      attachments: s.z.array(file(s)).nullable(),
    })
    .meta({ id: 'ChatMessage' }),
);

export interface ConversationMessage extends RowOf<typeof message> {
  /** The number of the message that it stands for. */
  readonly replaces_number: number | null;
}

/** A line of an export: `animus chat import` and `POST …/imports` read it again. */
export const exportedMessage = row((s) =>
  message(s)
    .omit({ id: true, replaces: true, work_item_id: true })
    .extend({
      id: s.z.int(),
      replaces: s.z.int().nullable().describe('the id of the message that it stands for'),
      work_item: s.id().nullable().describe('the item that answers it, or that gave the answer'),
    })
    .meta({ id: 'ExportedMessage' }),
);

/** A message that was added, and the item for its answer. */
export const saidMessage = row((s) =>
  s.z
    .object({
      message_id: messageId(s),
      number: messageNumber(s),
      work_item_id: s.id().describe('the item that answers it; if it was told, the one that it was told to'),
      told: s.z.boolean().describe('it went into the answer that is being given, and has no item of its own'),
      ...s.submittedItem(),
    })
    .meta({ id: 'SaidMessage' }),
);

/** A message that was added. `told`: it went into the answer that the item is giving; otherwise the item will answer it. */
export interface Said {
  readonly messageId: string;
  readonly workItemId: string;
  readonly told: boolean;
}

/** Adds a message, with a work item for its answer unless it is told into the answer under way. At most 64 KiB. */
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

/** The same with files, which cannot come with a message that is told into an answer; in one transaction. Returns the number of the message, too. */
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
  const [deleted] = await db.query<{ done: boolean }>('select animus.delete_message($1::bigint) as done', [messageId]);
  return deleted!.done;
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
  const [added] = await db.query<{ count: number }>('select animus.import_messages($1, $2::jsonb) as count', [
    id,
    toJsonb(messages),
  ]);
  return added!.count;
}
