/** What can be done with the messages of a conversation: say, list, show, edit, retry, delete. */
import { AnimusError } from '../../../core/errors/errors.ts';
import { cursor, readCursor, writeCursor } from '../../../operations/cursor.ts';
import { choice, jsonObject, limit, optional, other, text } from '../../../operations/fields.ts';
import { type Operation, operation } from '../../../operations/operation.ts';
import { pageOf } from '../../../operations/page-of.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { whyWaiting } from '../../../store/views/waiting.ts';
import * as shapes from '../store/message.ts';
import { readNumber } from '../store/message-numbers.ts';
import * as store from '../store/messages.ts';
import { readMessagesAfter, readMessagesBefore, readVisibleMessage } from '../store/read-messages.ts';
import { ofConversation, ofMessage, requireConversation, requireMessage } from './places.ts';

/** The words of a message: the database takes 64 KiB of UTF-8. */
const content = text({ min: 1, max: 65_536 });
/** Files are at most 20 MiB together; base64 makes four bytes of three. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const say = operation({
  name: 'sayInChat',
  tag: 'chats',
  summary: 'Say something in a conversation; a work item answers it',
  scope: 'work',
  http: {
    method: 'POST',
    path: '/workspaces/{id}/chats/{chat_id}',
    status: 202,
    awaits: 'work_item_id',
    body: 'NewChatMessage',
    maxBodyBytes: MAX_BODY_BYTES,
  },
  input: {
    ...ofConversation,
    content,
    params: optional(jsonObject({ description: 'of the work item' })),
    attachments: optional(
      other((s) =>
        s.z
          .array(
            s.z.strictObject({
              name: s.z.string().min(1).max(255),
              content: s.z.base64().describe('the bytes in base64; at most 10 MiB, and 20 MiB of all files'),
            }),
          )
          .max(20),
      ),
    ),
  },
  output: shapes.saidMessage,
  errors: ['work.not_found', 'work.invalid', 'work.state', 'work.locked'],
  async run({ tx, traceparent }, input) {
    await requireConversation(tx, input);
    const files = (input.attachments ?? []).map(({ name, content: bytes }) => ({
      name,
      content: Buffer.from(bytes, 'base64'),
    }));
    const { params = {} } = input;
    const said = await store.sayWithFiles(tx, input.chat_id, input.content, files, { params, traceparent });
    if (said.told && files.length > 0) {
      const detail =
        'files cannot come with a message that is passed to a running answer; send it when the answer has ended';
      throw new AnimusError('work.state', { detail });
    }
    return shown(tx, said);
  },
});

/** A cursor belongs to the order of its list. */
const PLACES = { oldest: ['digits', 'digits'], newest: ['digits', 'digits', 'text'] } as const;

const listMessages = operation({
  name: 'listChatMessages',
  tag: 'chats',
  summary: 'The messages of the branch that is shown, in order or the newest first',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}/chats/{chat_id}/messages' },
  input: {
    ...ofConversation,
    order: choice(['oldest', 'newest'], {
      default: 'oldest',
      description: 'newest: the first page has the last messages, the next pages those before them',
    }),
    after: cursor(),
    limit: limit(),
  },
  output: (s) => s.page(shapes.message(s)),
  errors: ['work.not_found'],
  async run({ tx }, { order, after, limit: most, ...path }) {
    await requireConversation(tx, path);
    const place = readCursor(PLACES[order], after);
    const from = place && ([place[0], place[1]] as const);
    const read = order === 'newest' ? readMessagesBefore : readMessagesAfter;
    return pageOf(await read(tx, path.chat_id, from, most + 1), most, (row) =>
      writeCursor(order === 'newest' ? [row.at, row.id, order] : [row.at, row.id]),
    );
  },
});

const showMessage = operation({
  name: 'showChatMessage',
  tag: 'chats',
  summary: 'One message, on any branch',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}' },
  input: ofMessage,
  output: shapes.message,
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await requireConversation(tx, input);
    return readVisibleMessage(tx, input.chat_id, input.message_id);
  },
});

export const edit = operation({
  name: 'editChatMessage',
  tag: 'chats',
  summary: 'Replace a message of yours; the new one is answered on a branch of its own',
  scope: 'work',
  http: {
    method: 'POST',
    path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}/edit',
    status: 202,
    awaits: 'work_item_id',
  },
  input: { ...ofMessage, content },
  output: shapes.saidMessage,
  errors: ['work.not_found', 'work.invalid', 'work.state', 'work.locked'],
  async run({ tx, traceparent }, input) {
    await requireMessage(tx, input);
    return numbered(tx, input.chat_id, await store.editMessage(tx, input.message_id, input.content, traceparent));
  },
});

export const retry = operation({
  name: 'retryChatMessage',
  tag: 'chats',
  summary: 'Ask for another answer to a message, given by its id or that of its answer',
  scope: 'work',
  http: {
    method: 'POST',
    path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}/retry',
    status: 202,
    awaits: 'work_item_id',
  },
  input: ofMessage,
  output: shapes.saidMessage,
  errors: ['work.not_found', 'work.state', 'work.locked'],
  async run({ tx, traceparent }, input) {
    await requireMessage(tx, input);
    return numbered(tx, input.chat_id, await store.retryMessage(tx, input.message_id, traceparent));
  },
});

export const deleteMessage = operation({
  name: 'deleteChatMessage',
  tag: 'chats',
  summary: 'Delete a message of yours, or an answer: no view and no later context contains it',
  scope: 'work',
  http: { method: 'DELETE', path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}' },
  input: ofMessage,
  output: (s) => s.z.object({ deleted: s.z.boolean() }),
  errors: ['work.not_found', 'work.locked'],
  async run({ tx }, input) {
    await requireMessage(tx, input);
    return { deleted: await store.deleteMessage(tx, input.message_id) };
  },
});

async function numbered(tx: Queryable, conversation: string, said: Omit<store.Said, 'told'>) {
  return shown(tx, { ...said, told: false, number: await readNumber(tx, conversation, said.messageId) });
}

async function shown(tx: Queryable, said: store.Said & { readonly number: number }) {
  const { messageId: message_id, workItemId: work_item_id, number, told } = said;
  return { message_id, number, work_item_id, told, waiting: await whyWaiting(tx, work_item_id) };
}

export const messageOperations: readonly Operation[] = [say, listMessages, showMessage, edit, retry, deleteMessage];
