/** One work item or conversation that somebody reads: its newest events, the answers and the output that are coming, and who reads. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import { isTerminal } from '../../core/work/work.ts';
import { createFeed } from '../../store/events/live/feed.ts';
import type { LivePiece } from '../../store/events/live/live-pieces.ts';
import { type AnyPage, type AnyPosition, writePlace } from '../../store/events/places.ts';
import type { EventScope } from '../../store/events/read-events.ts';
import { EventRing } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { createFollowers, type Follower } from './followers.ts';
import { eventFrame, type Frame, workHintFrame } from './frame.ts';

/** A class for speed, as `Wire` explains. */
export class WatchedItem {
  readonly scope: EventScope;
  readonly ring = new EventRing();
  /** Those whose rights its events may be read with: of each reader. */
  readonly eyes = new Set<Eyes>();
  readonly #followers;
  #position: AnyPosition | null = null;
  #over = false;
  #checks = 0;
  readonly #feed = createFeed();

  constructor(scope: EventScope, clock: Clock) {
    this.scope = scope;
    this.#followers = createFollowers(clock);
  }

  /** The items whose changes and texts belong to it: itself, or of a conversation those of the answers that are open. */
  get items(): Iterable<string> {
    return this.scope.kind === 'work' ? [this.scope.id] : this.#feed.states.keys();
  }

  /** Up to where its events are in the ring; null before the first reader has read the tables. */
  get position(): AnyPosition | null {
    return this.#position;
  }

  /** It has ended and everything is in the ring. A conversation never ends. */
  get over(): boolean {
    return this.#over;
  }

  /** Counts how often readers were asked to check whether they may still read. */
  get checks(): number {
    return this.#checks;
  }

  begin({ position, items }: Pick<AnyPage, 'position' | 'items'>): void {
    this.#position = position;
    this.#feed.begin(items);
    this.#settle();
  }

  /** Takes the next events. */
  take(page: AnyPage): void {
    const entries = this.#feed.take(page);
    for (const entry of entries) {
      if ('hint' in entry) this.#hint(workHintFrame(entry.hint));
      else {
        const { event, step, after } = entry.placed;
        // A person who does not take part any more may not read this event.
        if (event.type === 'people' && !event.joined) this.#checks++;
        this.ring.add({ frame: eventFrame(event, writePlace(this.scope, after)), placed: { step, after } });
      }
    }
    this.#position = page.position;
    this.#settle();
    if (entries.length > 0) this.wake();
  }

  /** Returns whether something before the piece is missing. */
  piece(id: string, piece: LivePiece): boolean {
    const { hints, gap } = this.#feed.piece(id, piece);
    for (const hint of hints) this.#hint(workHintFrame(hint));
    if (hints.length > 0) this.wake();
    return gap;
  }

  /** Where each item is now, and the answers and the output that are coming, for a reader that has just read everything recorded. */
  present(): readonly Frame[] {
    return this.#feed.present().map(workHintFrame);
  }

  /** Calls it at the next change, and at each one after that while it wants to be called. */
  follow(follower: Follower): void {
    this.#followers.add(follower);
  }

  /** Calls all followers. */
  wake(): void {
    this.#followers.call();
  }

  /** Asks all readers to check whether they may still read. */
  recheck(): void {
    this.#checks++;
    this.wake();
  }

  #hint(frame: Frame): void {
    this.ring.add({ frame, placed: null });
  }

  #settle(): void {
    const state = this.scope.kind === 'work' ? this.#feed.states.get(this.scope.id)?.state : undefined;
    this.#over = state !== undefined && isTerminal(state);
  }
}
