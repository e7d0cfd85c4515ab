/** One work item that somebody reads: its newest events, the answer that is coming, and who reads. */
import { type Position, writeCursor } from '../../store/events/position.ts';
import type { EventPage } from '../../store/events/read-events.ts';
import type { TextPiece } from '../../store/transcript/live-text.ts';
import { createEventRing, type EventRing } from './event-ring.ts';
import type { Eyes } from './eyes.ts';
import { eventFrame, type Frame, hintFrame } from './frame.ts';

/** Where the item is now and the answer that is coming, for a reader that has just read everything recorded. */
type Present = readonly Frame[];

export interface WatchedItem {
  readonly id: string;
  readonly ring: EventRing;
  /** Those whose rights its events may be read with: of each reader. */
  readonly eyes: Set<Eyes>;
  /** Up to where its events are in the ring; null before the first reader has read the tables. */
  readonly position: Position | null;
  /** It has ended and everything is in the ring. */
  readonly over: boolean;
  begin(position: Position, state: string): void;
  /** Takes the next events. */
  take(page: EventPage): void;
  piece(piece: TextPiece): void;
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

export function createWatchedItem(id: string): WatchedItem {
  const ring = createEventRing();
  let position: Position | null = null;
  let state = '';
  let checks = 0;
  let answer: { focus: number; turn: number; text: string } | null = null;
  let waiting = new Set<() => void>();

  const wake = () => {
    const woken = [...waiting];
    waiting = new Set();
    wakeInTurn(woken);
  };
  const hint = (frame: Frame) => ring.add({ frame, placed: null });
  const stateHint = () => hintFrame('state', { workItemId: id, state });
  const textHint = (piece: TextPiece) => hintFrame('text', { workItemId: id, ...piece });

  return {
    id,
    ring,
    eyes: new Set(),
    get position() {
      return position;
    },
    get over() {
      return TERMINAL.has(state);
    },
    begin(at, now) {
      position = at;
      state = now;
    },
    take(page) {
      for (const { event, step, after } of page.events) {
        if (event.type === 'turn') answer = null;
        ring.add({ frame: eventFrame(event, writeCursor(id, after)), placed: { step, after } });
      }
      position = page.position;
      if (!page.more && page.state !== state) {
        state = page.state;
        hint(stateHint());
      } else if (page.events.length === 0) return;
      wake();
    },
    piece(piece) {
      const { focus, turn, from, text } = piece;
      if (from === 0) answer = { focus, turn, text };
      else if (answer?.focus !== focus || answer.turn !== turn || answer.text.length !== from) {
        // A piece was lost: the whole answer comes with its record.
        answer = null;
        return;
      } else if (answer.text.length < MAX_ANSWER_CHARS) answer.text += text;
      hint(textHint(piece));
      wake();
    },
    present: () => [
      ...(state === '' ? [] : [stateHint()]),
      ...(answer === null ? [] : [textHint({ ...answer, from: 0 })]),
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
