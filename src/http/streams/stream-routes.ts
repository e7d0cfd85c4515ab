/** The event streams of the API. */
import { z } from 'zod';
import { requireVisibleConversation } from '../../features/conversations/store/read-conversations.ts';
import { id } from '../../operations/schemas.ts';
import { answerEvents, answerStates } from '../events/answer-events.ts';
import { type Route, streamRoute } from '../route/route.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';
import { chatEvent, statesEvent, workEvent } from './event-schemas.ts';

const media = ['text/event-stream'];

const workEvents = streamRoute({
  id: 'streamWorkEvents',
  method: 'GET',
  path: '/work/{id}/events',
  tag: 'work',
  summary:
    'Everything that happened and happens to a work item, as an event stream; Last-Event-ID resumes after an event',
  scope: 'read',
  params: z.strictObject({ id: id() }),
  query: z.strictObject({
    after: z
      .string()
      .min(1)
      .optional()
      .describe('the id of an event, for clients that cannot send Last-Event-ID; `now`: what comes from now on'),
  }),
  media,
  described: {
    items: workEvent,
    headers: { 'Last-Event-ID': 'The id of the last event that was read; goes before `after`.' },
    answers: { 204: 'The work has ended, and nothing follows.' },
  },
  errors: ['work.not_found', 'usage.invalid', 'http.too_many_streams'],
  async respond(visit, { path, query }, request) {
    const after = lastRead(request, query);
    const live = await visit.services.live.services();
    return answerEvents(live, { eyes: visitorEyes(visit), scope: { kind: 'work', id: path.id }, after });
  },
});

const conversationEvents = streamRoute({
  id: 'streamChatEvents',
  method: 'GET',
  path: '/workspaces/{id}/chats/{chat_id}/events',
  tag: 'chats',
  summary:
    'What is said in a conversation, and everything that happens to its answers, as an event stream; Last-Event-ID resumes after an event',
  scope: 'read',
  params: z.strictObject({ id: id(), chat_id: id() }),
  query: z.strictObject({
    after: z
      .string()
      .min(1)
      .optional()
      .describe(
        'the id of an event, for clients that cannot send Last-Event-ID; `now`: what comes from now on, and the answers that are being given',
      ),
  }),
  media,
  described: {
    items: chatEvent,
    headers: { 'Last-Event-ID': 'The id of the last event that was read; goes before `after`.' },
  },
  errors: ['work.not_found', 'http.too_many_streams'],
  async respond(visit, { path, query }, request) {
    const after = lastRead(request, query);
    const eyes = visitorEyes(visit);
    await eyes.look((tx) => requireVisibleConversation(tx, path.id, path.chat_id));
    const live = await visit.services.live.services();
    return answerEvents(live, { eyes, scope: { kind: 'conversation', id: path.chat_id }, after });
  },
});

/** Some clients send the header without a value as long as they have no id. */
function lastRead({ headers }: Request, { after }: { readonly after?: string | undefined }): string | null {
  const id = headers.get('last-event-id') ?? '';
  return id === '' ? (after ?? null) : id;
}

const stateEvents = streamRoute({
  id: 'streamStates',
  method: 'GET',
  path: '/events',
  tag: 'work',
  summary: 'The states of all work that you may see, as an event stream: a snapshot, then changes',
  scope: 'read',
  media,
  described: { items: statesEvent },
  errors: ['http.too_many_streams'],
  async respond(visit) {
    return answerStates(await visit.services.live.services(), { eyes: visitorEyes(visit) });
  },
});

export const streamRoutes: readonly Route[] = [workEvents, conversationEvents, stateEvents];
