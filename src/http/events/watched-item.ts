/** One work item or conversation that somebody reads: its newest events, the answers and the output that are coming, and who reads. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type AnyPage, type AnyPosition, writePlace } from '../../store/events/places.ts';
import type { EventScope } from '../../store/events/read-events.ts';
import type { LivePiece } from '../../store/transcript/live-text.ts';
import { createComingAnswers } from './coming-answers.ts';
import { createComingOutput } from './coming-output.ts';
import { EventRing } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { createFollowers, type Follower } from './followers.ts';
import { eventFrame, type Frame, hintFrame } from './frame.ts';
import { shownWaiting } from './shown-waiting.ts';

const TERMINAL = new Set(['completed', 'dead', 'merged', 'cancelled']);

type Present = Pick<AnyPage['items'][number], 'state' | 'waiting'>;

const stateHint = (workItemId: string, { state, waiting }: Present) =>
  hintFrame('state', { workItemId, state, waiting: waiting && shownWaiting(waiting) });

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
  #states = new Map<string, Present>();
  readonly #answers = createComingAnswers();
  readonly #output = createComingOutput();

  constructor(scope: EventScope, clock: Clock) {
    this.scope = scope;
    this.#followers = createFollowers(clock);
  }

  /** The items whose changes and texts belong to it: itself, or of a conversation those of the answers that are open. */
  get items(): Iterable<string> {
    return this.scope.kind === 'work' ? [this.scope.id] : this.#states.keys();
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
    this.#setStates(items);
  }

  /** Takes the next events. */
  take(page: AnyPage): void {
    for (const { event, step, after } of page.events) {
      for (const frame of this.#answers.recorded(event)) this.#hint(frame);
      if (event.type === 'observation') this.#output.end(event.workItemId, event.callId);
      // Whoever does not take part any more may not read this event.
      if (event.type === 'people' && !event.joined) this.#checks++;
      this.ring.add({ frame: eventFrame(event, writePlace(this.scope, after)), placed: { step, after } });
    }
    this.#position = page.position;
    const before = this.#states;
    if (!page.more) this.#setStates(page.items);
    const open = new Map(this.#open());
    if (!page.more) for (const frame of this.#answers.keep(open)) this.#hint(frame);
    this.#output.keep(open);
    const changed = [...open].filter(([id, now]) => !isSame(now, before.get(id)));
    for (const [id, now] of changed) this.#hint(stateHint(id, now));
    if (page.events.length > 0 || changed.length > 0) this.wake();
  }

  /** What comes late, after the end of its item, is left out: `done` is the last event. Returns whether something before the piece is missing. */
  piece(id: string, piece: LivePiece): boolean {
    if (TERMINAL.has(this.#states.get(id)?.state ?? '')) return false;
    const { hints, gap } =
      'output' in piece ? { hints: [this.#output.take(id, piece)], gap: false } : this.#answers.take(id, piece);
    for (const frame of hints) this.#hint(frame);
    if (hints.length > 0) this.wake();
    return gap;
  }

  /** Where each item is now, and the answers and the output that are coming, for a reader that has just read everything recorded. */
  present(): readonly Frame[] {
    return [
      ...[...this.#open()].map(([id, now]) => stateHint(id, now)),
      ...this.#answers.present(),
      ...this.#output.present(),
    ];
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

  /** The items that have not ended: `done` says where the others are. */
  #open(): Iterable<readonly [string, Present]> {
    return [...this.#states].filter(([, { state }]) => !TERMINAL.has(state));
  }

  #hint(frame: Frame): void {
    this.ring.add({ frame, placed: null });
  }

  #setStates(items: AnyPage['items']): void {
    this.#states = new Map(items.map(({ id, state, waiting }) => [id, { state, waiting }]));
    this.#over = this.scope.kind === 'work' && TERMINAL.has(this.#states.get(this.scope.id)?.state ?? '');
  }
}

/** A time of a reason may move without anything else, such as that of a provider that is asked again: then nobody is told. */
function isSame(now: Present, before: Present | undefined): boolean {
  return (
    before?.state === now.state &&
    before.waiting?.reason === now.waiting?.reason &&
    before.waiting?.why === now.waiting?.why
  );
}
