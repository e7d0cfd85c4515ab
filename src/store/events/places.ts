/** Positions, steps and pages of whatever has events: of a work item or of a conversation. */
import type { PersonRole } from '../../core/work/people.ts';
import type { Database, Queryable } from '../sql/database.ts';
import { readValue } from '../sql/read-value.ts';
import type { ConversationFacts } from './conversation-facts.ts';
import {
  advanceInConversation,
  CONVERSATION_BEGINNING,
  type ConversationPosition,
  type ConversationStep,
  conversationPositionFields,
  conversationPositionOf,
  isPastInConversation,
  readConversationCursor,
  writeConversationCursor,
} from './conversation-position.ts';
import type { AnyEvent } from './event.ts';
import type { ItemFacts } from './facts.ts';
import {
  advance,
  BEGINNING,
  isPast,
  POSITION,
  type Position,
  positionFields,
  readCursor,
  type Step,
  writeCursor,
} from './position.ts';
import { conversationPage, readConversationPage } from './read-conversation-events.ts';
import { type EventPage, type EventScope, type PageOf, ROWS_PER_READ, readPages, workPage } from './read-events.ts';

export type AnyPosition = Position | ConversationPosition;
export type AnyStep = Step | ConversationStep;

/** A page of either; `items` are the work items that its next events may be of. */
export interface AnyPage extends PageOf<AnyEvent, AnyStep, AnyPosition> {
  /** Where they are now. */
  readonly items: readonly Pick<ItemFacts, 'id' | 'state' | 'waiting'>[];
  /** As in `EventScope`. */
  readonly since?: string;
}

/** Where a reader without an id begins. */
export function beginningOf({ kind }: EventScope): AnyPosition {
  return kind === 'work' ? BEGINNING : CONVERSATION_BEGINNING;
}

/** Whether the position contains the step, which is one of the same scope. */
export function isPastPlace(position: AnyPosition, step: AnyStep): boolean {
  return 'open' in position ? isPastInConversation(position, step as ConversationStep) : isPast(position, step as Step);
}

/** The position with the step, which it does not contain yet. */
export function advancePlace(position: AnyPosition, step: AnyStep): AnyPosition {
  return 'open' in position
    ? advanceInConversation(position, step as ConversationStep)
    : advance(position, step as Step);
}

/** The id of the event at whose end the position is. */
export function writePlace({ id }: EventScope, position: AnyPosition): string {
  return 'open' in position ? writeConversationCursor(id, position) : writeCursor(id, position);
}

/** The position that `writePlace` wrote for this scope. Errors: `usage.invalid`, also for the id of another stream's event. */
export function readPlace({ kind, id }: EventScope, cursor: string): AnyPosition {
  return kind === 'work' ? readCursor(id, cursor) : readConversationCursor(id, cursor);
}

/** Where a reader is. */
export interface Place {
  readonly scope: EventScope;
  readonly from: AnyPosition;
}

/** The next events of each, with the rights of the actor; null for what is not there, or what the actor may not see. */
export async function readPlaces(
  db: Queryable,
  wanted: readonly Place[],
  limit?: number,
): Promise<readonly (AnyPage | null)[]> {
  const work = wanted.flatMap(({ scope, from }) =>
    scope.kind === 'work' ? [{ id: scope.id, from: from as Position }] : [],
  );
  const pages = work.length === 0 ? [] : await readPages(db, work, limit);
  const all: (AnyPage | null)[] = [];
  let nextWork = 0;
  for (const { scope, from } of wanted) {
    if (scope.kind === 'conversation')
      all.push(await readConversationPage(db, scope.id, from as ConversationPosition, limit));
    else {
      const page = pages[nextWork++];
      all.push(page ? pageOfItem(scope, page) : null);
    }
  }
  return all;
}

/** As whom somebody reads: the person of a token (its hash), or a person, with at most a role. */
export type ReadsAs = { readonly token: Buffer } | { readonly person: string; readonly role: PersonRole };

/** The same for somebody else, in one statement; outside of a transaction. Raises what `actWithToken` and `actWithRole` raise. */
export async function readPlacesAs(
  db: Database,
  as: ReadsAs,
  wanted: readonly Place[],
  limit = ROWS_PER_READ,
): Promise<readonly (AnyPage | null)[]> {
  const rows = await db.query<{ facts: ItemFacts | ConversationFacts | null }>(
    'select facts from animus.read_events_as($1::bytea, $2, $3, $4::text[], $5::uuid[], $6::jsonb[], $7::int) as facts',
    [
      ...('token' in as ? [as.token, null, null] : [null, as.person, as.role]),
      wanted.map(({ scope }) => scope.kind),
      wanted.map(({ scope }) => scope.id),
      wanted.map(({ from }) =>
        JSON.stringify('open' in from ? conversationPositionFields(from) : positionFields(from)),
      ),
      limit,
    ],
  );
  return rows.map(({ facts }, n) => (facts === null ? null : pageFrom(facts, wanted[n]!)));
}

function pageFrom(facts: ItemFacts | ConversationFacts, { scope, from }: Place): AnyPage {
  if ('open' in from) return conversationPage(facts as ConversationFacts, from);
  return pageOfItem(scope, workPage(facts as ItemFacts, from));
}

function pageOfItem({ id }: EventScope, page: EventPage): AnyPage {
  return { ...page, items: [{ id, state: page.state, waiting: page.waiting }] };
}

/** The position after everything that has happened. Null as `readPlaces`. */
export async function presentPlace(db: Queryable, { kind, id }: EventScope): Promise<AnyPosition | null> {
  const present = await readValue<unknown>(db, 'select animus.present_events($1::uuid)', [id]);
  if (present === null) return null;
  return kind === 'work'
    ? POSITION.parse(present)
    : conversationPositionOf(present as Parameters<typeof conversationPositionOf>[0]);
}
