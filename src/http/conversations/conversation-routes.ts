/** Conversations and their files as streams. */
import { z } from 'zod';
import { exportedMessage } from '../../features/conversations/store/message.ts';
import { messageDocument } from '../../features/conversations/store/message-document.ts';
import { requireVisibleConversation } from '../../features/conversations/store/read-conversations.ts';
import {
  type MessagePlace,
  type PlacedMessage,
  readMessagesAfter,
} from '../../features/conversations/store/read-messages.ts';
import { readVirtualFile } from '../../features/conversations/store/workspaces.ts';
import * as schemas from '../../operations/schemas.ts';
import { readingAs } from '../login/visitor.ts';
import { type Route, streamRoute, type Visit } from '../route/route.ts';
import { streamOf } from '../route/stream-of.ts';
import { textHeaders, workspaceFile } from './workspace-file.ts';

const { id } = schemas;

const exportConversation = streamRoute({
  id: 'exportChat',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}/export',
  tag: 'chats',
  summary: 'The branch that is shown, as JSON Lines or as Markdown',
  scope: 'read',
  params: z.strictObject({ id: id(), chat_id: id() }),
  query: z.strictObject({ format: z.enum(['jsonl', 'markdown']).default('jsonl').describe('of the export') }),
  media: ['application/jsonl', 'text/markdown'],
  described: { items: exportedMessage(schemas) },
  errors: ['work.not_found', 'work.state'],
  async respond(visit, { path: { id: workspaceId, chat_id: conversation }, query }) {
    const text = await readingAs(visit.services.db, visit.visitor, async (tx) => {
      await requireVisibleConversation(tx, workspaceId, conversation);
      return query.format === 'markdown' ? (await readVirtualFile(tx, conversation)).content : null;
    });
    if (text !== null) return new Response(text, { headers: textHeaders('text/markdown', `${conversation}.md`) });
    const lines = await streamOf(messageDocuments(visit, conversation), visit.signal);
    return new Response(lines, { headers: textHeaders('application/jsonl', `${conversation}.jsonl`) });
  },
});

/** A message may have 1 MiB. */
const EXPORTED_AT_ONCE = 20;

/** Reads each page in a transaction of its own, so that a slow reader of a long export holds no connection. */
async function* messageDocuments({ services, visitor }: Visit, conversation: string): AsyncGenerator<object> {
  for (let place: MessagePlace | null = null; ; ) {
    const after: MessagePlace | null = place;
    const rows: PlacedMessage[] = await readingAs(services.db, visitor, (tx) =>
      readMessagesAfter(tx, conversation, after, EXPORTED_AT_ONCE),
    );
    yield* rows.map(({ at: _, ...message }) => messageDocument(message));
    const last = rows.at(-1);
    if (last === undefined || rows.length < EXPORTED_AT_ONCE) return;
    place = [last.at, last.id];
  }
}

const readFile = streamRoute({
  id: 'readWorkspaceFile',
  method: 'GET',
  path: '/workspaces/{id}/files/content',
  tag: 'workspaces',
  summary: 'The content of a file, by its path; supports If-None-Match',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  query: z.strictObject({ path: z.string().min(1).max(500).describe('in the workspace, such as chats/plans.chat') }),
  media: ['text/markdown', '*/*'],
  described: {
    headers: { 'If-None-Match': 'The ETag of the content that the client has.' },
    answers: { 304: 'The client has the content.' },
  },
  errors: ['work.not_found', 'work.state'],
  respond: (visit, { path, query }, request) => workspaceFile(visit, path.id, query.path, request),
});

export const conversationRoutes: readonly Route[] = [exportConversation, readFile];
