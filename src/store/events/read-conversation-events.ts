/** Reads the events of a conversation after a position, with the rights of the actor (functions/conversations/events_read.sql). */
import type { Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
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
import { type PageOf, ROWS_PER_READ } from './read-events.ts';

export interface ConversationPage extends PageOf<AnyEvent, ConversationStep, ConversationPosition> {
  readonly since: string;
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
  const facts = await readValue<ConversationFacts | null>(
    db,
    'select animus.read_conversation_events($1::uuid, $2::jsonb, $3::int)',
    [id, JSON.stringify(conversationPositionFields(from)), limit],
  );
  return facts && conversationPage(facts, from);
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
 * Where a reader begins that wants only what comes: after everything that was said, and at the beginning of the answers that are being given or wait.
 * Null as `readConversationPage`.
 */
export async function presentInConversation(db: Queryable, id: string): Promise<ConversationPosition | null> {
  const present = await readValue<Parameters<typeof conversationPositionOf>[0] | null>(
    db,
    'select animus.present_in_conversation($1::uuid)',
    [id],
  );
  return present && conversationPositionOf(present);
}
