/** Reads the events of a conversation after a position, with the rights of the actor (functions/conversations/events_read.sql). */
import type { Queryable } from '../sql/database.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import {
  advanceInConversation,
  type ConversationPosition,
  type ConversationStep,
  conversationPositionFields,
  conversationPositionOf,
} from './conversation-position.ts';
import type { AnyEvent } from './event.ts';
import type { ItemFacts } from './facts.ts';
import { mergeConversation } from './merge-conversation.ts';
import { ROWS_PER_READ } from './read-events.ts';

export interface ConversationPage {
  readonly since: string;
  readonly events: readonly {
    readonly event: AnyEvent;
    readonly step: ConversationStep;
    readonly after: ConversationPosition;
  }[];
  /** After the last event; the same position if there is none. */
  readonly position: ConversationPosition;
  /** True: read again from `position` at once. */
  readonly more: boolean;
  /** The items of the answers that are open after these events, and where they are now. */
  readonly items: readonly Pick<ItemFacts, 'id' | 'state' | 'waiting'>[];
}

/** The next events of a conversation; null for one that is not there, or that the actor may not see. */
export async function readConversationPage(
  db: Queryable,
  id: string,
  from: ConversationPosition,
  limit = ROWS_PER_READ,
): Promise<ConversationPage | null> {
  const [row] = await db.query<{ facts: ConversationFacts | null }>(
    'select animus.read_conversation_events($1::uuid, $2::jsonb, $3::int) as facts',
    [id, JSON.stringify(conversationPositionFields(from)), limit],
  );
  return row?.facts ? conversationPage(row.facts, from) : null;
}

/** The page that begins at a position, of what `animus.read_conversation_events` has returned for it. */
export function conversationPage(facts: ConversationFacts, from: ConversationPosition): ConversationPage {
  const { entries, more } = mergeConversation(facts, from);
  let position = from;
  const events = entries.map(({ step, event }) => {
    position = advanceInConversation(position, step);
    return { event, step, after: position };
  });
  const items = facts.segments.flatMap(({ seq, item, state, waiting, hidden }) =>
    state !== null && !hidden && position.open.has(seq) ? [{ id: item, state, waiting: waiting ?? null }] : [],
  );
  return { events, position, more, items, since: facts.since };
}

/**
 * Where somebody begins who wants what comes: after everything that was said, and at the beginning of the answers that are being given or wait.
 * Null as `readConversationPage`.
 */
export async function presentInConversation(db: Queryable, id: string): Promise<ConversationPosition | null> {
  const [row] = await db.query<{ present: Parameters<typeof conversationPositionOf>[0] | null }>(
    'select animus.present_in_conversation($1::uuid) as present',
    [id],
  );
  return row?.present ? conversationPositionOf(row.present) : null;
}
