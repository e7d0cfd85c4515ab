/** The messages of a conversation: say, list, show, edit, retry, delete. */
import { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import {
  attachToMessage,
  deleteMessage,
  editMessage,
  retryMessage,
  sayInConversation,
} from '../../features/conversations/store/conversations.ts';
import { requireVisibleConversation } from '../../features/conversations/store/visible-conversations.ts';
import {
  readMessagesAfter,
  readMessagesBefore,
  readVisibleMessage,
} from '../../features/conversations/store/visible-messages.ts';
import { pageOf } from '../../operations/page-of.ts';
import { jsonObject, limit, page, submitted } from '../../operations/schemas.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { cursor, readCursor, writeCursor } from '../route/cursor.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { message, ofChat, ofMessage, said, shownMessage, shownSaid, words } from './chat-schemas.ts';

/** Files are at most 20 MiB together; base64 makes four bytes of three. */
const MAX_BODY_BYTES = 32 * 1024 * 1024;

const say = jsonRoute({
  id: 'sayInChat',
  method: 'POST',
  path: '/workspaces/{id}/chats/{chat_id}',
  tag: 'chats',
  summary: 'Say something in a conversation; a work item answers it',
  scope: 'work',
  params: ofChat,
  body: z
    .strictObject({
      content: words(),
      params: submitted(jsonObject()).optional().describe('of the work item'),
      attachments: z
        .array(
          z.strictObject({
            name: z.string().min(1).max(255),
            content: z.base64().describe('the bytes in base64; at most 10 MiB, and 20 MiB of all files'),
          }),
        )
        .max(20)
        .optional(),
    })
    .meta({ id: 'NewChatMessage' }),
  status: 202,
  output: said,
  awaits: 'work_item_id',
  errors: ['work.not_found', 'work.invalid', 'work.state', 'work.locked'],
  maxBodyBytes: MAX_BODY_BYTES,
  run: async ({ tx, traceparent }, { path, body }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    const { content, params = {}, attachments = [] } = body;
    const added = await sayInConversation(tx, path.chat_id, content, params, traceparent);
    if (added.told && attachments.length > 0) {
      const detail = 'files cannot come with a message that is told into an answer; send it when the answer has ended';
      throw new AnimusError('work.state', { detail });
    }
    for (const { name, content: bytes } of attachments) {
      await attachToMessage(tx, added.workItemId, { name, content: Buffer.from(bytes, 'base64') });
    }
    return shownSaid(tx, path.chat_id, added);
  },
});

const digits = z.string().regex(/^\d{1,18}$/);
/** A cursor belongs to the order of its list. */
const PLACES = { oldest: z.tuple([digits, digits]), newest: z.tuple([digits, digits, z.literal('newest')]) };

const listMessages = jsonRoute({
  id: 'listChatMessages',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}/messages',
  tag: 'chats',
  summary: 'The messages of the branch that is shown, in order or the newest first',
  scope: 'read',
  params: ofChat,
  query: z.strictObject({
    order: z
      .enum(['oldest', 'newest'])
      .default('oldest')
      .describe('newest: the first page has the last messages, the next pages those before them'),
    after: cursor().optional(),
    limit: limit(),
  }),
  output: page(message),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query: { order, after, limit: most } }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    const [at, id] = after === undefined ? [] : readCursor(PLACES[order], after);
    const from = at === undefined || id === undefined ? null : ([at, id] as const);
    const read = order === 'newest' ? readMessagesBefore : readMessagesAfter;
    const rows = await read(tx, path.chat_id, from, most + 1);
    const { items, next } = pageOf(rows, most, (row) =>
      writeCursor(order === 'newest' ? [row.at, row.id, order] : [row.at, row.id]),
    );
    return { items: items.map(shownMessage), next };
  },
});

const showMessage = jsonRoute({
  id: 'showChatMessage',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}',
  tag: 'chats',
  summary: 'One message, on any branch',
  scope: 'read',
  params: ofMessage,
  output: message,
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => shownMessage(await messageOf(tx, path)),
});

const edit = jsonRoute({
  id: 'editChatMessage',
  method: 'POST',
  path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}/edit',
  tag: 'chats',
  summary: 'Replace a message of yours; the new one is answered on a branch of its own',
  scope: 'work',
  params: ofMessage,
  body: z.strictObject({ content: words() }),
  status: 202,
  output: said,
  awaits: 'work_item_id',
  errors: ['work.not_found', 'work.invalid', 'work.state', 'work.locked'],
  run: async ({ tx, traceparent }, { path, body }) => {
    await messageOf(tx, path);
    const added = await editMessage(tx, path.message_id, body.content, traceparent);
    return shownSaid(tx, path.chat_id, { ...added, told: false });
  },
});

const retry = jsonRoute({
  id: 'retryChatMessage',
  method: 'POST',
  path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}/retry',
  tag: 'chats',
  summary: 'Ask for another answer to a message, given by its id or that of its answer',
  scope: 'work',
  params: ofMessage,
  body: z.strictObject({}),
  status: 202,
  output: said,
  awaits: 'work_item_id',
  errors: ['work.not_found', 'work.state', 'work.locked'],
  run: async ({ tx, traceparent }, { path }) => {
    await messageOf(tx, path);
    const added = await retryMessage(tx, path.message_id, traceparent);
    return shownSaid(tx, path.chat_id, { ...added, told: false });
  },
});

const remove = jsonRoute({
  id: 'deleteChatMessage',
  method: 'DELETE',
  path: '/workspaces/{id}/chats/{chat_id}/messages/{message_id}',
  tag: 'chats',
  summary: 'Delete a message of yours, or an answer: no view and no later context contains it',
  scope: 'work',
  params: ofMessage,
  output: z.object({ deleted: z.boolean() }),
  errors: ['work.not_found', 'work.locked'],
  run: async ({ tx }, { path }) => {
    await messageOf(tx, path);
    return { deleted: await deleteMessage(tx, path.message_id) };
  },
});

interface MessagePath {
  readonly id: string;
  readonly chat_id: string;
  readonly message_id: string;
}

async function messageOf(tx: Queryable, path: MessagePath) {
  await requireVisibleConversation(tx, path.id, path.chat_id);
  return readVisibleMessage(tx, path.chat_id, path.message_id);
}

export const messageRoutes: readonly Route[] = [say, listMessages, showMessage, edit, retry, remove];
