/** What can be done with conversations: begin, list, show, change, delete, import, and who takes part. */
import { facultyName, id, limit, optional, text } from '../../../operations/fields.ts';
import { type Operation, operation } from '../../../operations/operation.ts';
import { pageOf } from '../../../operations/page-of.ts';
import * as store from '../store/conversations.ts';
import { attachedFile } from '../store/message.ts';
import { importMessages } from '../store/messages.ts';
import { parseExport } from '../store/parse-export.ts';
import { listVisibleConversations, readVisibleConversation } from '../store/read-conversations.ts';
import { readConversationFiles } from '../store/read-messages.ts';
import { readVisibleWorkspace } from '../store/workspaces.ts';
import { ofConversation, requireConversation, title } from './places.ts';

const MESSAGES_WAIT = { until: 'messages wait' };

const startConversation = operation({
  name: 'startChat',
  tag: 'chats',
  summary: 'Begin a conversation with a faculty',
  scope: 'work',
  http: { method: 'POST', path: '/workspaces/{id}/chats', status: 201, body: 'NewChat' },
  input: {
    id: id(),
    faculty: facultyName({
      default: 'assistant',
      description: 'the faculty that answers, default assistant; a daemon has to serve it, or messages wait',
    }),
    title: optional(title),
    path: optional(text({ max: 500, description: 'of its file; default: chats/ID.chat' })),
    while_answering: optional(store.whileAnswering),
  },
  output: store.peopledConversation,
  errors: ['work.not_found', 'work.invalid', 'work.state'],
  async run({ tx, unserved }, { id: workspaceId, while_answering: whileAnswering, ...begin }) {
    const begun = await store.startConversation(tx, { ...begin, workspaceId, whileAnswering });
    const warned = await unserved([begin.faculty], MESSAGES_WAIT);
    return { ...(await readVisibleConversation(tx, workspaceId, begun)), ...warned };
  },
});

const listConversations = operation({
  name: 'listChats',
  tag: 'chats',
  summary: 'The conversations of a workspace in which you take part, newest first',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}/chats' },
  input: { id: id(), after: optional(id()), limit: limit() },
  output: (s) => s.page(store.conversation(s)),
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await readVisibleWorkspace(tx, input.id);
    const found = await listVisibleConversations(tx, input.id, input.after, input.limit + 1);
    return pageOf(found, input.limit, (row) => row.id);
  },
});

const ofOne = { id: id(), chat_id: id() };

const showConversation = operation({
  name: 'showChat',
  tag: 'chats',
  summary: 'One conversation, and who takes part',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}/chats/{chat_id}' },
  input: ofOne,
  output: store.peopledConversation,
  errors: ['work.not_found'],
  run: ({ tx }, input) => readVisibleConversation(tx, input.id, input.chat_id),
});

const changeConversation = operation({
  name: 'changeChat',
  tag: 'chats',
  summary: 'Change the faculty, the title or the order of a conversation; for its owners, and operators',
  scope: 'work',
  http: { method: 'PATCH', path: '/workspaces/{id}/chats/{chat_id}' },
  input: {
    ...ofOne,
    faculty: optional(facultyName()),
    title: optional(title),
    while_answering: optional(store.whileAnswering),
  },
  output: store.peopledConversation,
  errors: ['work.not_found', 'work.invalid'],
  async run({ tx, unserved }, { id: workspaceId, chat_id: chat, ...change }) {
    await requireConversation(tx, { id: workspaceId, chat_id: chat });
    await store.changeConversation(tx, chat, change);
    const warned = await unserved(change.faculty === undefined ? [] : [change.faculty], MESSAGES_WAIT);
    return { ...(await readVisibleConversation(tx, workspaceId, chat)), ...warned };
  },
});

export const deleteConversation = operation({
  name: 'deleteChat',
  tag: 'chats',
  summary: 'Delete a conversation; for its owners, and operators',
  scope: 'work',
  http: { method: 'DELETE', path: '/workspaces/{id}/chats/{chat_id}' },
  input: ofConversation,
  output: (s) => s.z.object({ id: s.id() }),
  errors: ['work.not_found', 'work.locked'],
  async run({ tx }, input) {
    await requireConversation(tx, input);
    await store.deleteConversation(tx, input.chat_id);
    return { id: input.chat_id };
  },
});

const actor = text({ pattern: /^[^\s\p{Cc}]{1,220}$/u, description: 'person:NAME, or a login of the database' });

export const invite = operation({
  name: 'inviteToChat',
  tag: 'chats',
  summary:
    'Let somebody take part, or give them another role; for owners, and operators. They see everything that was said, and the work from now on',
  scope: 'work',
  http: { method: 'POST', path: '/workspaces/{id}/chats/{chat_id}/people' },
  input: { ...ofConversation, actor, role: optional(store.participantRole) },
  output: (s) => s.z.object({ changed: s.z.boolean(), warning: s.warning() }),
  errors: ['work.not_found', 'work.invalid', 'work.state'],
  async run({ tx }, input) {
    await requireConversation(tx, input);
    const { changed, known } = await store.setParticipant(tx, input.chat_id, input.actor, input.role);
    const warning = `nobody has used animus as ${input.actor} yet: the first person with this name will take part`;
    return { changed, known, warning: known ? undefined : warning };
  },
});

export const removeParticipant = operation({
  name: 'removeFromChat',
  tag: 'chats',
  summary: 'Stop somebody from taking part; for owners, and operators. Anybody may leave, except the only owner',
  scope: 'work',
  http: { method: 'DELETE', path: '/workspaces/{id}/chats/{chat_id}/people/{actor}' },
  input: { ...ofConversation, actor },
  output: (s) => s.z.object({ changed: s.z.boolean() }),
  errors: ['work.not_found', 'work.invalid', 'work.state'],
  async run({ tx }, input) {
    await requireConversation(tx, input);
    return { changed: await store.removeParticipant(tx, input.chat_id, input.actor) };
  },
});

const listAttachments = operation({
  name: 'listChatAttachments',
  tag: 'chats',
  summary: 'The files that came with its messages, oldest first; GET /artifacts/{id} returns their bytes',
  scope: 'read',
  http: { method: 'GET', path: '/workspaces/{id}/chats/{chat_id}/attachments' },
  input: { ...ofOne, after: optional(id()), limit: limit() },
  output: (s) => s.page(attachedFile(s)),
  errors: ['work.not_found'],
  async run({ tx }, input) {
    await requireConversation(tx, input);
    const files = await readConversationFiles(tx, input.chat_id, input.after, input.limit + 1);
    return pageOf(files, input.limit, (row) => row.id);
  },
});

/** As `animus chat import`. */
const MAX_IMPORT_BYTES = 64 * 1024 * 1024;

const importConversation = operation({
  name: 'importChat',
  tag: 'chats',
  summary: 'Begin a conversation with the messages of an export',
  scope: 'work',
  http: { method: 'POST', path: '/workspaces/{id}/imports', status: 201, maxBodyBytes: MAX_IMPORT_BYTES },
  input: {
    id: id(),
    content: text({ min: 1, description: 'the text of an export, JSON Lines or Markdown' }),
    faculty: facultyName({ default: 'assistant' }),
    title: optional(title),
  },
  output: (s) => s.z.object({ id: s.id(), messages: s.z.number().int() }),
  errors: ['work.not_found', 'work.invalid', 'usage.invalid'],
  async run({ tx }, { id: workspaceId, content, faculty, title: words }) {
    const messages = parseExport(content);
    const begun = await store.startConversation(tx, { workspaceId, faculty, title: words });
    return { id: begun, messages: await importMessages(tx, begun, messages) };
  },
});

export const conversationOperations: readonly Operation[] = [
  startConversation,
  listConversations,
  showConversation,
  changeConversation,
  deleteConversation,
  invite,
  removeParticipant,
  listAttachments,
  importConversation,
];
