/** One reader of the events of a work item or a conversation: first the tables, then the ring that all readers share, and the tables again when it was too slow. */
import { isAnimusError } from '../../core/errors/errors.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import {
  type AnyPage,
  type AnyPosition,
  advancePlace,
  beginningOf,
  isPastPlace,
  presentPlace,
  readPlace,
  readPlaces,
  writePlace,
} from '../../store/events/places.ts';
import { presentInConversation } from '../../store/events/read-conversation-events.ts';
import { type EventScope, notThere } from '../../store/events/read-events.ts';
import type { EventHub } from './event-hub.ts';
import { framesOf, type RingEntry } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { eventFrame, type Frame, hintFrame, placeFrame, type Sink, withId } from './frame.ts';
import type { WatchedItem } from './watched-item.ts';

export interface FollowMeans {
  readonly hub: EventHub;
  readonly clock: Clock;
}

/** A reader whose token was revoked, or who may not see it any more, is stopped within this time. */
const CHECK_MS = 60_000;

/**
 * Yields what happened after the id of an event (null: from the beginning; `now`, only for a conversation: the answers that are being given or
 * wait, and what is said from now on), and what happens, until the item has ended and everything
 * was yielded, or the signal aborts. Reads on only when asked for the next frames, so a slow reader costs a position and
 * nothing else; hints that it was too slow for are left out, and a hint `missed` says so. Errors: `work.not_found`, also when
 * the reader may not see it (any more); `usage.invalid` for an id that is none of its events; those of `eyes`. With a sink, what happens while
 * it is awaited goes there and is not yielded.
 */
export async function* followItem(
  { hub, clock }: FollowMeans,
  eyes: Eyes,
  scope: EventScope,
  after: string | null | Beginning,
  signal: AbortSignal,
  sink: Sink | null = null,
): AsyncGenerator<readonly Frame[]> {
  const until = AbortSignal.any([signal, hub.stopping]);
  // Checked before anything is watched: nobody learns from it that an item exists.
  const begun = after === null || typeof after === 'string' ? await readBeginning(eyes, scope, after) : after;
  let { position, page } = begun;
  const item = hub.join(scope, eyes);
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
        page = await readPage(eyes, scope, position);
        if (page.more) continue;
        if (known) {
          yield framesOfPage(scope, page);
          position = page.position;
          from = head;
        } else {
          // The others go on from there: not from what a client says that it has read.
          const present = begun.isOwn ? page.position : await readPresent(eyes, scope);
          if (item.position !== null) continue;
          item.begin({ position: present, items: page.items });
          hub.look(item);
        }
      }
      if (until.aborted) return;
      yield item.present();
      const reader = ringReader(item, position, from!);
      if (yield* reader.read({ eyes, clock, until, sink })) return;
      position = reader.position;
      yield [hintFrame('missed', scope.kind === 'work' ? { workItemId: scope.id } : { chatId: scope.id })];
      page = await readPage(eyes, scope, position);
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
}

/** Reads what a reader gets first; `followItem` then goes on from it. Errors: as `followItem`. */
export async function readBeginning(eyes: Eyes, scope: EventScope, after: string | null): Promise<Beginning> {
  const position = await startOf(eyes, scope, after);
  const isOwn = after === null || after === NOW;
  return { after, isOwn, position, page: await readPage(eyes, scope, position) };
}

/** Where a reader begins. Errors: `usage.invalid` for an id that is none of its events; `work.not_found`. */
async function startOf(eyes: Eyes, scope: EventScope, after: string | null): Promise<AnyPosition> {
  if (after === null) return beginningOf(scope);
  if (after !== NOW || scope.kind === 'work') return readPlace(scope, after);
  const present = await eyes.look((tx) => presentInConversation(tx, scope.id));
  if (present === null) throw notThere(scope);
  return present;
}

/** The next events. Errors: `work.not_found`, also where the reader may not see it. */
async function readPage(eyes: Eyes, scope: EventScope, from: AnyPosition, limit?: number): Promise<AnyPage> {
  const [page] = await eyes.look((tx) => readPlaces(tx, [{ scope, from }], limit));
  if (!page) throw notThere(scope);
  return page;
}

/** The position after everything that has happened. Errors: as `readPage`. */
async function readPresent(eyes: Eyes, scope: EventScope): Promise<AnyPosition> {
  const present = await eyes.look((tx) => presentPlace(tx, scope));
  if (present === null) throw notThere(scope);
  return present;
}

/** An outage says nothing about rights. */
async function check(eyes: Eyes, scope: EventScope, from: AnyPosition): Promise<void> {
  try {
    await readPage(eyes, scope, from, 1);
  } catch (error) {
    if (!isAnimusError(error, 'db.unreachable')) throw error;
  }
}

function framesOfPage(scope: EventScope, { events }: AnyPage): readonly Frame[] {
  return events.map(({ event, after }) => eventFrame(event, writePlace(scope, after)));
}

interface Reading {
  readonly eyes: Eyes;
  readonly clock: Clock;
  readonly until: AbortSignal;
  readonly sink: Sink | null;
}

/** Reads the ring from a number on. `read` returns true at the end, false when it was too slow. */
function ringReader(item: WatchedItem, begun: AnyPosition, from: number) {
  let position = begun;
  /** It may have read more of the tables than the ring had: then it passes over that, and its ids differ from those of others for a while. */
  let ahead = true;
  let next = from;
  let checks = item.checks;

  function take(entries: readonly RingEntry[]): readonly Frame[] {
    next += entries.length;
    if (!ahead) {
      position = entries.findLast(({ placed }) => placed !== null)?.placed?.after ?? position;
      return framesOf(entries);
    }
    return entries.flatMap(({ frame, placed }) => {
      if (placed === null) return [frame];
      if (!ahead) {
        position = placed.after;
        return [frame];
      }
      const past = isPastPlace(position, placed.step);
      if (!past) position = advancePlace(position, placed.step);
      const own = writePlace(item.scope, position);
      if (own === frame.id) ahead = false;
      return past ? [] : [own === frame.id ? frame : withId(frame, own)];
    });
  }

  return {
    get position() {
      return position;
    },
    async *read({ eyes, clock, until, sink }: Reading): AsyncGenerator<readonly Frame[], boolean> {
      let resume: (() => void) | null = null;
      // Asking the signal, which depends on others, costs more than all the rest of an event.
      let over = until.aborted;
      // One listener for each reader, not for each wait: a thousand readers wait at every event.
      const end = () => {
        over = true;
        resume?.();
      };
      until.addEventListener('abort', end, { once: true });
      // Not all at once.
      let checkAtMs = clock.monotonicMs() + CHECK_MS * (0.5 + 0.5 * Math.random());
      const mustCheck = () => checks !== item.checks || clock.monotonicMs() > checkAtMs;

      /** Sends what comes, until there is more to do than that. */
      function pass(): void {
        if (resume === null) return;
        const entries = over || mustCheck() ? null : item.ring.from(next);
        const sent = sink !== null && entries !== null && (entries.length === 0 || sink.send(take(entries)));
        // What ended has nothing that could wake this reader.
        if (sent && !item.over) item.onChange(pass);
        else resume();
      }
      const changed = () =>
        new Promise<void>((resolve) => {
          resume = () => {
            resume = null;
            resolve();
          };
          item.onChange(pass);
        });

      while (!until.aborted) {
        if (mustCheck()) {
          checks = item.checks;
          checkAtMs = clock.monotonicMs() + CHECK_MS;
          await check(eyes, item.scope, position);
        }
        const entries = item.ring.from(next);
        if (entries === null) return false;
        if (entries.length > 0) yield take(entries);
        else if (item.over) return true;
        else await changed();
        await sink?.drained();
      }
      return true;
    },
  };
}
