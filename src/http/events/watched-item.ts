/** One work item or conversation that somebody reads: its newest events, the answers and the output that are coming, and who reads. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import { type AnyPage, type AnyPosition, writePlace } from '../../store/events/places.ts';
import type { EventScope } from '../../store/events/read-events.ts';
import type { LivePiece, TextPiece } from '../../store/transcript/live-text.ts';
import { createComingOutput } from './coming-output.ts';
import { EventRing } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { createFollowers, type Follower } from './followers.ts';
import { eventFrame, type Frame, hintFrame } from './frame.ts';
import { shownWaiting } from './shown-waiting.ts';

const TERMINAL = new Set(['completed', 'dead', 'merged', 'cancelled']);

/** Characters of an answer that is coming that are kept for readers that join. */
const MAX_ANSWER_CHARS = 262_144;

type Present = Pick<AnyPage['items'][number], 'state' | 'waiting'>;

const stateHint = (workItemId: string, { state, waiting }: Present) =>
  hintFrame('state', { workItemId, state, waiting: waiting && shownWaiting(waiting) });
const textHint = (workItemId: string, { focus, turn, from, text }: TextPiece) =>
  hintFrame('text', { workItemId, focus, turn, from, text });

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
  /** By item: what has arrived of the answer of a turn. */
  readonly #answers = new Map<string, { focus: number; turn: number; text: string }>();
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
      if (event.type === 'turn') this.#answers.delete(event.workItemId);
      if (event.type === 'observation') this.#output.end(event.workItemId, event.callId);
      // Whoever does not take part any more may not read this event.
      if (event.type === 'people' && !event.joined) this.#checks++;
      this.ring.add({ frame: eventFrame(event, writePlace(this.scope, after)), placed: { step, after } });
    }
    this.#position = page.position;
    const before = this.#states;
    if (!page.more) this.#setStates(page.items);
    const open = new Map(this.#open());
    for (const id of this.#answers.keys()) if (!open.has(id)) this.#answers.delete(id);
    this.#output.keep(open);
    const changed = [...open].filter(([id, now]) => !isSame(now, before.get(id)));
    for (const [id, now] of changed) this.#hint(stateHint(id, now));
    if (page.events.length > 0 || changed.length > 0) this.wake();
  }

  /** What comes late, after the end of its item, is left out: `done` is the last event. */
  piece(id: string, piece: LivePiece): void {
    if (TERMINAL.has(this.#states.get(id)?.state ?? '')) return;
    if ('output' in piece) {
      this.#hint(this.#output.take(id, piece));
      this.wake();
      return;
    }
    const answer = this.#answers.get(id);
    const news = piece.earlier ? missingOf(piece, answer) : piece;
    if (news === null) return;
    const { focus, turn, from, text } = news;
    if (from === 0) this.#answers.set(id, { focus, turn, text });
    else if (answer?.focus !== focus || answer.turn !== turn || answer.text.length !== from) {
      // A piece was lost: the whole answer comes with its record.
      this.#answers.delete(id);
      return;
    } else if (answer.text.length < MAX_ANSWER_CHARS) answer.text += text;
    this.#hint(textHint(id, news));
    this.wake();
  }

  /** Where each item is now, and the answers and the output that are coming, for a reader that has just read everything recorded. */
  present(): readonly Frame[] {
    return [
      ...[...this.#open()].map(([id, now]) => stateHint(id, now)),
      ...[...this.#answers].map(([id, answer]) => textHint(id, { ...answer, from: 0 })),
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

/** The part of an earlier piece that has not arrived here; null if all of it has, or if something before it is missing, too. */
function missingOf(
  piece: TextPiece,
  answer: { focus: number; turn: number; text: string } | undefined,
): TextPiece | null {
  const isSame = answer?.focus === piece.focus && answer.turn === piece.turn;
  const has = isSame ? answer.text.length : 0;
  if (piece.from > has || piece.from + piece.text.length <= has) return null;
  return { ...piece, from: has, text: piece.text.slice(has - piece.from) };
}
