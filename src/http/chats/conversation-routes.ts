/** Conversations: begin, list, show, change, delete, and who takes part. */
import { z } from 'zod';
import {
  CHAT_ROLES,
  changeConversation,
  deleteConversation,
  removeParticipant,
  setParticipant,
  startConversation,
  unknownActor,
} from '../../features/conversations/store/conversations.ts';
import {
  listVisibleConversations,
  type PeopledConversation,
  readVisibleConversation,
  readVisibleWorkspace,
  requireVisibleConversation,
} from '../../features/conversations/store/visible-conversations.ts';
import { pageOf } from '../../operations/page-of.ts';
import { facultyName, id, limit, page, warning } from '../../operations/schemas.ts';
import { jsonRoute, type Route } from '../route/route.ts';
import { unserved } from '../route/unserved.ts';
import { chat, chatWithPeople, ofChat, ofWorkspace, title, whileAnswering } from './chat-schemas.ts';

const startChat = jsonRoute({
  id: 'startChat',
  method: 'POST',
  path: '/workspaces/{id}/chats',
  tag: 'chats',
  summary: 'Begin a conversation with a faculty',
  scope: 'work',
  params: ofWorkspace,
  body: z
    .strictObject({
      faculty: facultyName()
        .default('assistant')
        .describe('the faculty that answers, default assistant; a daemon has to serve it, or messages wait'),
      title: title().optional(),
      path: z.string().max(500).optional().describe('of its file; default: chats/ID.chat'),
      while_answering: whileAnswering().optional(),
    })
    .meta({ id: 'NewChat' }),
  status: 201,
  output: chatWithPeople,
  errors: ['work.not_found', 'work.invalid', 'work.state'],
  run: async ({ tx }, { path, body }) => {
    const chatId = await startConversation(tx, {
      workspaceId: path.id,
      faculty: body.faculty,
      title: body.title,
      path: body.path,
      whileAnswering: body.while_answering,
    });
    const warned = await unserved(tx, [body.faculty], 'messages wait');
    return { ...spread(await readVisibleConversation(tx, path.id, chatId)), ...warned };
  },
});

const listChats = jsonRoute({
  id: 'listChats',
  method: 'GET',
  path: '/workspaces/{id}/chats',
  tag: 'chats',
  summary: 'The conversations of a workspace in which you take part, newest first',
  scope: 'read',
  params: ofWorkspace,
  query: z.strictObject({ after: id().optional(), limit: limit() }),
  output: page(chat),
  errors: ['work.not_found'],
  run: async ({ tx }, { path, query: { after = null, limit: most } }) => {
    await readVisibleWorkspace(tx, path.id);
    return pageOf(await listVisibleConversations(tx, path.id, { after, limit: most + 1 }), most, (row) => row.id);
  },
});

const showChat = jsonRoute({
  id: 'showChat',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}',
  tag: 'chats',
  summary: 'One conversation, and who takes part',
  scope: 'read',
  params: ofChat,
  output: chatWithPeople,
  errors: ['work.not_found'],
  run: async ({ tx }, { path }) => spread(await readVisibleConversation(tx, path.id, path.chat_id)),
});

const changeChat = jsonRoute({
  id: 'changeChat',
  method: 'PATCH',
  path: '/workspaces/{id}/chats/{chat_id}',
  tag: 'chats',
  summary: 'Change the faculty, the title or the order of a conversation; for its owners, and operators',
  scope: 'work',
  params: ofChat,
  body: z.strictObject({
    faculty: facultyName().optional(),
    title: title().optional(),
    while_answering: whileAnswering().optional(),
  }),
  output: chatWithPeople,
  errors: ['work.not_found', 'work.invalid'],
  run: async ({ tx }, { path, body }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    const { faculty: other, title: words, while_answering: order } = body;
    await changeConversation(tx, path.chat_id, {
      ...(other !== undefined && { faculty: other }),
      ...(words !== undefined && { title: words }),
      ...(order !== undefined && { whileAnswering: order }),
    });
    const warned = await unserved(tx, other === undefined ? [] : [other], 'messages wait');
    return { ...spread(await readVisibleConversation(tx, path.id, path.chat_id)), ...warned };
  },
});

const deleteChat = jsonRoute({
  id: 'deleteChat',
  method: 'DELETE',
  path: '/workspaces/{id}/chats/{chat_id}',
  tag: 'chats',
  summary: 'Delete a conversation; for its owners, and operators',
  scope: 'work',
  params: ofChat,
  output: z.object({ id: id() }),
  errors: ['work.not_found', 'work.locked'],
  run: async ({ tx }, { path }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    await deleteConversation(tx, path.chat_id);
    return { id: path.chat_id };
  },
});

const actor = () =>
  z
    .string()
    .regex(/^[^\s\p{Cc}]{1,220}$/u)
    .describe('person:NAME, or a login of the database');
const changed = z.object({ changed: z.boolean() });

const invite = jsonRoute({
  id: 'inviteToChat',
  method: 'POST',
  path: '/workspaces/{id}/chats/{chat_id}/people',
  tag: 'chats',
  summary:
    'Let somebody take part, or give them another role; for owners, and operators. They see all that was said, and the work from now on',
  scope: 'work',
  params: ofChat,
  body: z.strictObject({
    actor: actor(),
    role: z.enum(CHAT_ROLES).optional().describe('by default as before, `member` for somebody new'),
  }),
  output: changed.extend({ warning: warning() }),
  errors: ['work.not_found', 'work.invalid', 'work.state'],
  run: async ({ tx }, { path, body }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    const { changed: isChanged, known } = await setParticipant(tx, path.chat_id, body.actor, body.role);
    return { changed: isChanged, ...(known ? {} : { warning: unknownActor(body.actor) }) };
  },
});

const remove = jsonRoute({
  id: 'removeFromChat',
  method: 'DELETE',
  path: '/workspaces/{id}/chats/{chat_id}/people/{actor}',
  tag: 'chats',
  summary: 'Stop somebody from taking part; for owners, and operators. Everybody may leave; the only owner may not',
  scope: 'work',
  params: z.strictObject({ ...ofChat.shape, actor: actor() }),
  output: changed,
  errors: ['work.not_found', 'work.invalid', 'work.state'],
  run: async ({ tx }, { path }) => {
    await requireVisibleConversation(tx, path.id, path.chat_id);
    return { changed: await removeParticipant(tx, path.chat_id, path.actor) };
  },
});

function spread<Row extends Pick<PeopledConversation, 'people' | 'owners'>>(row: Row) {
  return { ...row, people: [...row.people], owners: [...row.owners] };
}

export const conversationRoutes: readonly Route[] = [
  startChat,
  listChats,
  showChat,
  changeChat,
  deleteChat,
  invite,
  remove,
];
