/** One work item or conversation that somebody reads: its newest events, the answers and the output that are coming, and who reads. */
import { type AnyPage, type AnyPosition, writePlace } from '../../store/events/places.ts';
import type { EventScope } from '../../store/events/read-events.ts';
import type { LivePiece, TextPiece } from '../../store/transcript/live-text.ts';
import { createComingOutput } from './coming-output.ts';
import { createEventRing, type EventRing } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { eventFrame, type Frame, hintFrame } from './frame.ts';

/** Where each item is now, and the answers and the output that are coming, for a reader that has just read everything recorded. */
type Present = readonly Frame[];

export interface WatchedItem {
  readonly scope: EventScope;
  /** The items whose changes and texts belong to it: itself, or of a conversation those of the answers that are open. */
  readonly items: Iterable<string>;
  readonly ring: EventRing;
  /** Those whose rights its events may be read with: of each reader. */
  readonly eyes: Set<Eyes>;
  /** Up to where its events are in the ring; null before the first reader has read the tables. */
  readonly position: AnyPosition | null;
  /** It has ended and everything is in the ring. A conversation never ends. */
  readonly over: boolean;
  begin(page: Pick<AnyPage, 'position' | 'items'>): void;
  /** Takes the next events. */
  take(page: AnyPage): void;
  piece(workItemId: string, piece: LivePiece): void;
  present(): Present;
  /** Wakes all readers. */
  wake(): void;
  /** Counts how often readers were asked to check whether they may still read. */
  readonly checks: number;
  recheck(): void;
  /** Calls `resume` at the next change, once. */
  onChange(resume: () => void): void;
}

const TERMINAL = new Set(['completed', 'dead', 'merged', 'cancelled']);

/** Characters of an answer that is coming that are kept for readers that join. */
const MAX_ANSWER_CHARS = 262_144;

/** Readers that are woken at once: each writes to a socket meanwhile, and a thousand of them would hold up everything else for 10 ms and more. */
const WOKEN_AT_ONCE = 100;

function wakeInTurn(readers: readonly (() => void)[]): void {
  for (const resume of readers.slice(0, WOKEN_AT_ONCE)) resume();
  if (readers.length > WOKEN_AT_ONCE) setImmediate(wakeInTurn, readers.slice(WOKEN_AT_ONCE));
}

const stateHint = (workItemId: string, state: string) => hintFrame('state', { workItemId, state });
const textHint = (workItemId: string, { focus, turn, from, text }: TextPiece) =>
  hintFrame('text', { workItemId, focus, turn, from, text });

export function createWatchedItem(scope: EventScope): WatchedItem {
  const ring = createEventRing();
  let position: AnyPosition | null = null;
  let checks = 0;
  let states = new Map<string, string>();
  /** By item: what has arrived of the answer of a turn. */
  const answers = new Map<string, { focus: number; turn: number; text: string }>();
  const output = createComingOutput();
  let waiting = new Set<() => void>();

  const wake = () => {
    const woken = [...waiting];
    waiting = new Set();
    wakeInTurn(woken);
  };
  const hint = (frame: Frame) => ring.add({ frame, placed: null });

  return {
    scope,
    get items() {
      return scope.kind === 'work' ? [scope.id] : states.keys();
    },
    ring,
    eyes: new Set(),
    get position() {
      return position;
    },
    get over() {
      return scope.kind === 'work' && TERMINAL.has(states.get(scope.id) ?? '');
    },
    begin(page) {
      position = page.position;
      states = new Map(page.items.map(({ id, state }) => [id, state]));
    },
    take(page) {
      for (const { event, step, after } of page.events) {
        if (event.type === 'turn') answers.delete(event.workItemId);
        if (event.type === 'observation') output.end(event.workItemId, event.callId);
        // Who does not take part any more may not read this event.
        if (event.type === 'people' && !event.joined) checks++;
        ring.add({ frame: eventFrame(event, writePlace(scope, after)), placed: { step, after } });
      }
      position = page.position;
      const before = states;
      if (!page.more) states = new Map(page.items.map(({ id, state }) => [id, state]));
      for (const id of answers.keys()) if (!states.has(id)) answers.delete(id);
      output.keep(states);
      const changed = [...states].filter(([id, state]) => before.get(id) !== state);
      for (const [id, state] of changed) hint(stateHint(id, state));
      if (page.events.length > 0 || changed.length > 0) wake();
    },
    piece(id, piece) {
      if ('output' in piece) {
        hint(output.take(id, piece));
        wake();
        return;
      }
      const answer = answers.get(id);
      const news = piece.earlier ? missingOf(piece, answer) : piece;
      if (news === null) return;
      const { focus, turn, from, text } = news;
      if (from === 0) answers.set(id, { focus, turn, text });
      else if (answer?.focus !== focus || answer.turn !== turn || answer.text.length !== from) {
        // A piece was lost: the whole answer comes with its record.
        answers.delete(id);
        return;
      } else if (answer.text.length < MAX_ANSWER_CHARS) answer.text += text;
      hint(textHint(id, news));
      wake();
    },
    present: () => [
      ...[...states].map(([id, state]) => stateHint(id, state)),
      ...[...answers].map(([id, answer]) => textHint(id, { ...answer, from: 0 })),
      ...output.present(),
    ],
    wake,
    get checks() {
      return checks;
    },
    recheck() {
      checks++;
      wake();
    },
    onChange: (resume) => void waiting.add(resume),
  };
}

/** What has not arrived of a piece that was sent before, for somebody who has joined: null if nothing, or if something before it is missing, too. */
function missingOf(
  piece: TextPiece,
  answer: { focus: number; turn: number; text: string } | undefined,
): TextPiece | null {
  const isSame = answer?.focus === piece.focus && answer.turn === piece.turn;
  const has = isSame ? answer.text.length : 0;
  if (piece.from > has || piece.from + piece.text.length <= has) return null;
  return { ...piece, from: has, text: piece.text.slice(has - piece.from) };
}
