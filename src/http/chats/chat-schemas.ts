/** What requests and answers about conversations have in common. */
import { z } from 'zod';
import { type SaidMessage, WHILE_ANSWERING } from '../../features/conversations/store/conversations.ts';
import type { ChatMessage } from '../../features/conversations/store/message.ts';
import { readNumber } from '../../features/conversations/store/message-numbers.ts';
import { id, time, warning, workState } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { whyWaiting } from '../../store/views/waiting.ts';
import { submittedItem } from '../route/work-schemas.ts';

/** The path of a workspace and below it. */
export const ofWorkspace = z.strictObject({ id: id() });
export const ofChat = z.strictObject({ id: id(), chat_id: id() });
const messageId = () => z.string().regex(/^[1-9]\d{0,17}$/);
const messageNumber = () => z.int().min(1).describe('in its conversation, from 1 on: the number that people see');
export const ofMessage = z.strictObject({ id: id(), chat_id: id(), message_id: messageId() });

export const title = () => z.string().max(200);
export const whileAnswering = () =>
  z.enum(WHILE_ANSWERING).describe('a message that comes while an answer is given: answered next, or told into it');
/** The words of a message: the database takes 64 KiB of UTF-8. */
export const words = () => z.string().min(1).max(65_536);

export const workspace = z
  .object({ id: id(), name: z.string(), owner: z.string(), created_at: time() })
  .meta({ id: 'Workspace' });

export const chat = z
  .object({
    id: id().describe('also the id of its file'),
    workspace_id: id(),
    path: z.string().describe('of its file in the workspace'),
    title: z.string(),
    faculty: z.string(),
    while_answering: whileAnswering(),
    created_by: z.string(),
    created_at: time(),
    updated_at: time(),
  })
  .meta({ id: 'Chat' });
export const chatWithPeople = chat
  .extend({
    people: z.array(z.string()),
    owners: z.array(z.string()).describe('those of the people who are owners'),
    warning: warning(),
  })
  .meta({ id: 'ChatWithPeople' });

export const file = z
  .object({
    id: id(),
    name: z.string(),
    media_type: z.string(),
    bytes: z.number(),
    path: z.string().describe('in the workspace'),
  })
  .meta({ id: 'ChatAttachment' });

export const message = z
  .object({
    id: messageId(),
    number: messageNumber(),
    role: z.enum(['user', 'assistant', 'system']),
    content: z.string(),
    author: z.string().describe('of an answer `faculty:NAME`'),
    created_at: time(),
    replaces: messageId().nullable().describe('the message that it stands for, after an edit or a retry'),
    work_item_id: id().nullable().describe('the item that answers it, or that gave the answer'),
    told: z.boolean().describe('it went into an answer that was being given'),
    ended_as: z.enum(['completed', 'dead', 'cancelled']).nullable().describe('of an answer'),
    state: workState().nullable().describe('of the item, now'),
    attachments: z.array(file).nullable(),
  })
  .meta({ id: 'ChatMessage' });

/** A line of an export: `animus chat import` and `POST …/imports` read it again. */
export const exportedMessage = message
  .omit({ id: true, replaces: true, work_item_id: true })
  .extend({
    id: z.int(),
    replaces: z.int().nullable().describe('the id of the message that it stands for'),
    work_item: id().nullable().describe('the item that answers it, or that gave the answer'),
  })
  .meta({ id: 'ExportedMessage' });

/** A message as the API sends it. */
export function shownMessage(row: ChatMessage) {
  return {
    id: row.id,
    number: row.number,
    role: row.role,
    content: row.content,
    author: row.author,
    created_at: row.createdAt,
    replaces: row.replaces,
    work_item_id: row.workItemId,
    told: row.told,
    ended_as: row.endedAs,
    state: row.state as z.input<ReturnType<typeof workState>> | null,
    attachments: row.attachments === null ? null : [...row.attachments],
  };
}

/** A message that was added, and the item for its answer. */
export const said = z
  .object({
    message_id: messageId(),
    number: messageNumber(),
    work_item_id: id().describe('the item that answers it; if it was told, the one that it was told to'),
    told: z.boolean().describe('it went into the answer that is being given, and has no item of its own'),
    ...submittedItem(),
  })
  .meta({ id: 'SaidMessage' });

export async function shownSaid(
  tx: Queryable,
  chatId: string,
  { messageId: message_id, workItemId: work_item_id, told }: SaidMessage,
) {
  const number = await readNumber(tx, chatId, message_id);
  return { message_id, number, work_item_id, told, waiting: await whyWaiting(tx, work_item_id) };
}
