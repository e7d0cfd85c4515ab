/** One reader of the events of a work item or a conversation: first the tables, then the ring that all readers share, and the tables again when it was too slow. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import {
  type AnyPage,
  type AnyPosition,
  beginningOf,
  presentPlace,
  readPlace,
  writePlace,
} from '../../store/events/places.ts';
import { presentInConversation } from '../../store/events/read-conversation-events.ts';
import { type EventScope, notThere } from '../../store/events/read-events.ts';
import type { EventHub } from './event-hub.ts';
import type { Eyes } from './eyes.ts';
import { eventFrame, type Frame, hintFrame, placeFrame, type Sink } from './frame.ts';
import { RingReader } from './ring-reader.ts';

export interface FollowServices {
  readonly hub: EventHub;
  readonly clock: Clock;
}

/** When the database could not be read, it is tried again after this time. */
const AFTER_OUTAGE_MS = 1_000;

/**
 * Yields what happened after the id of an event (null: from the beginning; `now`: what comes, and of a conversation the answers that are being given or
 * wait), and what happens, until the item has ended and everything
 * was yielded, or the signal aborts. Reads on only when asked for the next frames, so a slow reader costs a position and
 * nothing else; hints that it was too slow for are left out, and a hint `missed` says so. Errors: `work.not_found`, also when
 * the reader may not see it (any more); `usage.invalid` for an id that is not one of its events; those of `eyes`. With a sink, what happens while
 * it is awaited goes there and is not yielded.
 */
export async function* followItem(
  { hub, clock }: FollowServices,
  eyes: Eyes,
  wanted: EventScope,
  after: string | null | Beginning,
  signal: AbortSignal,
  sink: Sink | null = null,
): AsyncGenerator<readonly Frame[]> {
  const until = AbortSignal.any([signal, hub.stopping]);
  // Checked before anything is watched: nobody learns from it that an item exists.
  const begun = after === null || typeof after === 'string' ? await readBeginning(eyes, wanted, after) : after;
  const { scope } = begun;
  let { position, page } = begun;
  const item = hub.join(scope, eyes);
  const check = (at: AnyPosition) => checkRights(eyes, scope, at);
  /** An outage ends no stream: a browser would connect once more, get 503, and give up. */
  const patiently = async <Result>(read: () => Promise<Result>): Promise<Result> => {
    for (;;) {
      try {
        return await read();
      } catch (error) {
        if (until.aborted || !isAnimusError(error, 'db.unreachable')) throw error;
        await clock.sleep(AFTER_OUTAGE_MS, until);
      }
    }
  };
  try {
    if (begun.after === NOW) yield [placeFrame(writePlace(scope, position))];
    for (;;) {
      // The tables, until a read that began when the ring already contained everything before its head.
      let from: number | null = null;
      while (from === null && !until.aborted) {
        yield framesOfPage(scope, page);
        position = page.position;
        const known = item.position !== null;
        const head = item.ring.head;
        page = await patiently(() => readPage(eyes, scope, position));
        if (page.more) continue;
        if (known) {
          yield framesOfPage(scope, page);
          position = page.position;
          from = head;
        } else {
          // All readers share what follows, so it does not begin at an id that a client has sent.
          const present = begun.isOwn ? page.position : await patiently(() => readPresent(eyes, scope));
          if (item.position !== null) continue;
          item.begin({ position: present, items: page.items });
          hub.look(item);
        }
      }
      if (until.aborted) return;
      yield item.present();
      const reader = new RingReader(item, position, from!, { clock, until, sink, check });
      if (yield* reader.read()) return;
      position = reader.position;
      yield [hintFrame('missed', scope.kind === 'work' ? { workItemId: scope.id } : { chatId: scope.id })];
      page = await patiently(() => readPage(eyes, scope, position));
    }
  } finally {
    hub.leave(item, eyes);
  }
}

/** What stands for an id where a reader wants what comes. */
const NOW = 'now';

/** What a reader reads first. */
export interface Beginning {
  /** As given to `followItem`. */
  readonly after: string | null;
  /** The position is one that the server knows, not an id that a client sent. */
  readonly isOwn: boolean;
  readonly position: AnyPosition;
  /** From that position on. */
  readonly page: AnyPage;
  /** With what is hidden from the reader. */
  readonly scope: EventScope;
}

/** Reads what a reader gets first; `followItem` then goes on from it. Errors: as `followItem`. */
export async function readBeginning(eyes: Eyes, scope: EventScope, after: string | null): Promise<Beginning> {
  const position = await startOf(eyes, scope, after);
  const isOwn = after === null || after === NOW;
  const page = await readPage(eyes, scope, position);
  return { after, isOwn, position, page, scope: page.since === undefined ? scope : { ...scope, since: page.since } };
}

/** Where a reader begins. Errors: `usage.invalid` for an id that is not one of its events; `work.not_found`. */
async function startOf(eyes: Eyes, scope: EventScope, after: string | null): Promise<AnyPosition> {
  if (after === null) return beginningOf(scope);
  if (after !== NOW) return readPlace(scope, after);
  if (scope.kind === 'work') return readPresent(eyes, scope);
  const present = await eyes.look((tx) => presentInConversation(tx, scope.id));
  if (present === null) throw notThere(scope);
  return present;
}

/** The next events. Errors: `work.not_found`, also where the reader may not see it. */
async function readPage(eyes: Eyes, scope: EventScope, from: AnyPosition, limit?: number): Promise<AnyPage> {
  const [page] = await eyes.read([{ scope, from }], limit);
  // A participant who was removed and joined again begins anew.
  if (!page || (scope.since !== undefined && page.since !== scope.since)) throw notThere(scope);
  return page;
}

/** The position after everything that has happened. Errors: as `readPage`. */
async function readPresent(eyes: Eyes, scope: EventScope): Promise<AnyPosition> {
  const present = await eyes.look((tx) => presentPlace(tx, scope));
  if (present === null) throw notThere(scope);
  return present;
}

/** An outage says nothing about rights. */
async function checkRights(eyes: Eyes, scope: EventScope, position: AnyPosition): Promise<void> {
  try {
    await readPage(eyes, scope, position, 1);
  } catch (error) {
    if (!isAnimusError(error, 'db.unreachable')) throw error;
  }
}

function framesOfPage(scope: EventScope, { events }: AnyPage): readonly Frame[] {
  return events.map(({ event, after }) => eventFrame(event, writePlace(scope, after)));
}
