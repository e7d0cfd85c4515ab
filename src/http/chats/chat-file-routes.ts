/** Files that came with a conversation, and the conversation as a file. */
import { z } from 'zod';
import { importMessages, startConversation } from '../../features/conversations/store/conversations.ts';
import { messageDocument } from '../../features/conversations/store/message-document.ts';
import { parseExport } from '../../features/conversations/store/parse-export.ts';
import { readVirtualFile } from '../../features/conversations/store/read-conversation.ts';
import { requireVisibleConversation } from '../../features/conversations/store/visible-conversations.ts';
import {
  type MessagePlace,
  type PlacedMessage,
  readConversationFiles,
  readMessagesAfter,
} from '../../features/conversations/store/visible-messages.ts';
import { pageOf } from '../../operations/page-of.ts';
import { facultyName, id, limit, page, time } from '../../operations/schemas.ts';
import { asVisitor } from '../login/visitor.ts';
import { jsonRoute, type Route, streamRoute, type Visit } from '../route/route.ts';
import { streamOf } from '../route/stream-of.ts';
import { exportedMessage, file, ofChat, ofWorkspace, title } from './chat-schemas.ts';
import { textHeaders } from './workspace-file.ts';

/** As `animus chat import`. */
const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

const listAttachments = jsonRoute({
  id: 'listChatAttachments',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}/attachments',
  tag: 'chats',
  summary: 'The files that came with its messages, oldest first; GET /artifacts/{id} returns their bytes',
  scope: 'read',
  params: ofChat,
  query: z.strictObject({ after: id().optional(), limit: limit() }),
  output: page(file.extend({ created_at: time(), message_id: z.string() }).meta({ id: 'ChatFile' })),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query: { after = null, limit: most } }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    const rows = await readConversationFiles(tx, path.chat_id, after, most + 1);
    return pageOf(
      rows.map(({ message, ...row }) => ({ ...row, message_id: message })),
      most,
      (row) => row.id,
    );
  },
});

const exportChat = streamRoute({
  id: 'exportChat',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}/export',
  tag: 'chats',
  summary: 'The branch that is shown, as JSON Lines or as Markdown',
  scope: 'read',
  params: ofChat,
  query: z.strictObject({ format: z.enum(['jsonl', 'markdown']).default('jsonl').describe('of the export') }),
  media: ['application/jsonl', 'text/markdown'],
  described: { items: exportedMessage },
  errors: ['work.not_found', 'work.state'],
  async respond(visit, { path: { id: workspaceId, chat_id: chatId }, query }) {
    const text = await asVisitor(visit.services.db, visit.visitor, async (tx) => {
      await requireVisibleConversation(tx, workspaceId, chatId);
      return query.format === 'markdown' ? (await readVirtualFile(tx, chatId)).content : null;
    });
    if (text !== null) return new Response(text, { headers: textHeaders('text/markdown', `${chatId}.md`) });
    const lines = await streamOf(messageDocuments(visit, chatId), visit.signal);
    return new Response(lines, { headers: textHeaders('application/jsonl', `${chatId}.jsonl`) });
  },
});

/** A message may have 1 MiB. */
const EXPORTED_AT_ONCE = 20;

/** Reads each page in a transaction of its own, so that a slow reader of a long export holds no connection. */
async function* messageDocuments({ services, visitor }: Visit, chatId: string): AsyncGenerator<object> {
  for (let place: MessagePlace | null = null; ; ) {
    const after: MessagePlace | null = place;
    const rows: PlacedMessage[] = await asVisitor(services.db, visitor, (tx) =>
      readMessagesAfter(tx, chatId, after, EXPORTED_AT_ONCE),
    );
    yield* rows.map(({ at: _, ...message }) => messageDocument(message));
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORTED_AT_ONCE) return;
    place = [last.at, last.id];
  }
}

const importChat = jsonRoute({
  id: 'importChat',
  method: 'POST',
  path: '/workspaces/{id}/imports',
  tag: 'chats',
  summary: 'Begin a conversation with the messages of an export',
  scope: 'work',
  params: ofWorkspace,
  body: z.strictObject({
    content: z.string().min(1).describe('the text of an export, JSON Lines or Markdown'),
    faculty: facultyName().default('assistant'),
    title: title().optional(),
  }),
  status: 201,
  output: z.object({ id: id(), messages: z.number().int() }),
  errors: ['work.not_found', 'work.invalid', 'usage.invalid'],
  maxBodyBytes: MAX_IMPORT_BYTES,
  run: async ({ tx }, { path, body }) => {
    const messages = parseExport(body.content);
    const chatId = await startConversation(tx, { workspaceId: path.id, faculty: body.faculty, title: body.title });
    return { id: chatId, messages: await importMessages(tx, chatId, messages) };
  },
});

export const chatFileRoutes: readonly Route[] = [listAttachments, exportChat, importChat];
