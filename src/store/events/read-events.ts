/** Reads the events of an item after a position, with the rights of the actor (functions/34_events.sql). */
import { AnimusError } from '../../core/errors/errors.ts';
import type { Queryable } from '../sql/database.ts';
import type { WorkEvent } from './event.ts';
import type { ItemFacts } from './facts.ts';
import { mergeParts } from './merge-parts.ts';
import { advance, BEGINNING, type Position, positionFields, readCursor, type Step, writeCursor } from './position.ts';

/** What the events are of. `id` is that of the work item, or of the conversation's file. */
export interface EventScope {
  readonly kind: 'work' | 'conversation';
  readonly id: string;
  /** Of a conversation: the message up to which answers are hidden from the reader. Only readers of the same scope may read for each other. */
  readonly since?: string;
}

export interface PageOf<Event, TheStep, ThePosition> {
  /** Each with its step, and the position after it. */
  readonly events: readonly { readonly event: Event; readonly step: TheStep; readonly after: ThePosition }[];
  /** After the last event; the same position if there is none. */
  readonly position: ThePosition;
  /** True: read again from `position` at once. */
  readonly more: boolean;
}

export interface EventPage extends PageOf<WorkEvent, Step, Position> {
  /** Where the item is now. */
  readonly state: ItemFacts['state'];
  /** Why it does not go on; null: it does, or has ended. */
  readonly waiting: ItemFacts['waiting'];
}

/** Rows of each part, and marks of a conversation, in one read; a turn has many events. */
export const ROWS_PER_READ = 50;

/** The next events after the id of an event (null: from the first), each with its id. Errors: `work.not_found`, also where the actor may not see it, `usage.invalid` for a foreign id. */
export async function readEvents(
  db: Queryable,
  scope: EventScope & { readonly kind: 'work' },
  after: string | null,
  limit = ROWS_PER_READ,
): Promise<{ readonly events: readonly (WorkEvent & { readonly id: string })[]; readonly more: boolean }> {
  const from = after === null ? BEGINNING : readCursor(scope.id, after);
  const [page] = await readPages(db, [{ id: scope.id, from }], limit);
  if (!page) throw notThere(scope);
  const events = page.events.map(({ event, after: at }) => ({ ...event, id: writeCursor(scope.id, at) }));
  return { events, more: page.more };
}

/** The same for many items in one statement; null for an item that is not there, or that the actor may not see. */
export async function readPages(
  db: Queryable,
  wanted: readonly { readonly id: string; readonly from: Position }[],
  limit = ROWS_PER_READ,
): Promise<readonly (EventPage | null)[]> {
  const rows = await db.query<{ facts: ItemFacts | null }>(
    `select animus.read_events(w.id, w.after, $3::int) as facts from unnest($1::uuid[], $2::jsonb[]) with ordinality as w (id, after, n) order by w.n`,
    [wanted.map(({ id }) => id), wanted.map(({ from }) => JSON.stringify(positionFields(from))), limit],
  );
  return rows.map(({ facts }, n) => (facts === null ? null : workPage(facts, wanted[n]!.from)));
}

/** The page that begins at a position, of what `animus.read_events` has returned for it. */
export function workPage(facts: ItemFacts, from: Position): EventPage {
  const { entries, more } = mergeParts(facts, from);
  let position = from;
  const events = entries.map(({ step, at, event }) => {
    position = advance(position, step);
    return { event: { ...event, workItemId: facts.id, atMs: at }, step, after: position };
  });
  return { events, position, more, state: facts.state, waiting: facts.waiting ?? null };
}

/**
 * Asks for notifications (`animus_events`, `animus_work_done`) about these items, for at most ten minutes. Returns by the payload of the notifications of each
 * its id; those that the actor may not see are left out.
 */
export async function watchEvents(db: Queryable, ids: readonly string[]): Promise<ReadonlyMap<string, string>> {
  const rows = await db.query<{ id: string; notice: string }>(
    `with watched as materialized (select animus.watch_events($1::uuid[])),
       named as (select i.id, animus.notice_of(i.id) as notice from watched, unnest($1::uuid[]) i (id))
     select id, notice from named where notice is not null`,
    [ids],
  );
  return new Map(rows.map(({ id, notice }) => [notice, id]));
}

/** The error for a scope that is not there or that the actor may not see. */
export function notThere({ kind, id }: EventScope): AnimusError {
  return new AnimusError('work.not_found', {
    id,
    detail: kind === 'work' ? `no work item ${id}` : `no conversation ${id}`,
  });
}
