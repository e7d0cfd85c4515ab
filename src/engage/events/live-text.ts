/**
 * Streams an answer to watchers in other processes. The daemon's side batches pieces and sends them while the item is
 * watched. The watcher's side inserts them between the events that it reads from the tables. When somebody joins, or has lost
 * a piece and asks, what was sent of the answer is sent again, marked as earlier. The whole recorded answer follows.
 */
import type { Clock } from '../../core/lifecycle/clock.ts';
import { MAX_PIECE_CHARS, type TextPiece } from '../../store/transcript/live-text.ts';
import type { FocusEventBody } from './events.ts';
import { wholeCharacters } from './whole-characters.ts';

/** Pieces within this many milliseconds are sent together. */
const GATHER_MS = 200;
/** How often to check whether the item is watched now. */
const ASK_AGAIN_MS = 2000;

export interface TextTeller {
  /** Takes every event of the focus. */
  take(event: FocusEventBody): void;
  /** The text so far of the answer that is under way; null if there is none. */
  underWay(): { readonly turn: number; readonly text: string } | null;
  /** Stops sending. */
  stop(): Promise<void>;
}

/** The text so far is sent again to somebody who joins, up to this length. A longer one comes with its record. */
const MAX_EARLIER_CHARS = 1_048_576;

/**
 * `tell` returns a mark that changes when somebody joins, or null if nobody watches; an error counts as nobody. An unwatched item costs one query
 * per two seconds of an answer.
 */
export function createTextTeller(
  focus: number,
  tell: (piece: TextPiece) => Promise<string | null>,
  clock: Clock,
): TextTeller {
  let answer: Answer | null = null;
  let mark: string | null = null;
  let telling: Promise<void> | null = null;
  const stopped = new AbortController();

  const untold = () => (answer && answer.told < answer.text.length ? answer : null);

  async function tellOn(): Promise<void> {
    await clock.sleep(GATHER_MS, stopped.signal);
    for (let current = untold(); current && !stopped.signal.aborted; current = untold()) {
      const text = wholeCharacters(current.text.slice(current.told, current.told + MAX_PIECE_CHARS));
      if (text === '') break;
      const before = mark;
      mark = await tell({ focus, turn: current.turn, from: current.told, text }).catch(() => null);
      const isLater = current.told > 0;
      if (mark !== null) current.told += text.length;
      if (mark !== null && mark !== before && isLater) await tellEarlier(current);
      // A new watcher gets the answer from its beginning, as fast as it can be sent.
      if (mark !== null && current.told < current.text.length) continue;
      await clock.sleep(mark === null ? ASK_AGAIN_MS : GATHER_MS, stopped.signal);
    }
    telling = null;
  }

  /** For whoever has joined since the last piece. If somebody joins meanwhile, the mark changes again, and the next piece notices it. */
  async function tellEarlier(current: Answer): Promise<void> {
    const { turn, text, told } = current;
    if (told > MAX_EARLIER_CHARS) return;
    for (let from = 0; from < told; ) {
      if (current !== answer || stopped.signal.aborted) return;
      const piece = wholeCharacters(text.slice(from, Math.min(told, from + MAX_PIECE_CHARS)));
      const heard = await tell({ focus, turn, from, text: piece, earlier: true }).catch(() => null);
      if (heard === null || piece === '') return;
      from += piece.length;
    }
  }

  return {
    take(event) {
      switch (event.type) {
        case 'text':
          if (answer?.turn !== event.turn) answer = { turn: event.turn, text: '', told: 0 };
          answer.text += event.text;
          telling ??= tellOn();
          return;
        case 'restart':
        case 'turn_recorded':
          answer = null;
          return;
        default:
      }
    },
    underWay: () => (answer?.text ? { turn: answer.turn, text: answer.text } : null),
    async stop() {
      // A reason of our own: the default one is an error with a stack trace, made for every focus and seen by nobody.
      stopped.abort('stopped');
      await telling;
    },
  };
}

interface Answer {
  readonly turn: number;
  text: string;
  told: number;
}

/** Inserts the pieces of answers between the events of one item. */
export interface TextFollower {
  /** Takes an event from the tables, in order; returns it after the pieces of its answer that arrived before. */
  event<Event extends FocusEventBody>(event: Event): readonly (Event | TextEvent)[];
  piece(piece: TextPiece): readonly TextEvent[];
}

type TextEvent = Extract<FocusEventBody, { type: 'text' | 'restart' }>;

/** Shows each character of an answer at most once, in order, and only between its `turn_started` and `turn_recorded`. */
export function createTextFollower(): TextFollower {
  let focus = 0;
  /** The newest turn that the tables have shown, and how much of its answer was shown; null once it is recorded. */
  let newest: { readonly turn: number; shown: number | null } = { turn: 0, shown: null };
  /** Pieces of a turn that the tables have not shown yet. */
  let early: TextPiece[] = [];

  function show(piece: TextPiece): TextEvent[] {
    const { turn, shown } = newest;
    if (shown === null || piece.focus !== focus || piece.turn !== turn) return [];
    if (piece.earlier) {
      // Only what is missing, because this watcher joined later or lost a piece.
      const missing = piece.from > shown ? '' : piece.text.slice(shown - piece.from);
      newest.shown = shown + missing.length;
      return missing === '' ? [] : [{ type: 'text', turn, text: missing }];
    }
    const again = piece.from === 0 && shown > 0;
    // A piece was lost, or watching began in the middle: the rest of this answer comes with its record.
    if (!again && piece.from !== shown) return [];
    newest.shown = piece.from + piece.text.length;
    return [...(again ? [{ type: 'restart' as const, turn }] : []), { type: 'text', turn, text: piece.text }];
  }

  return {
    event(event) {
      if (event.type === 'focus_started' && event.number > focus) {
        focus = event.number;
        newest = { turn: 0, shown: null };
      }
      if (event.type === 'turn_recorded') newest.shown = null;
      if (event.type !== 'turn_started') return [event];
      newest = { turn: event.turn, shown: 0 };
      const due = early;
      early = [];
      return [event, ...due.flatMap(show)];
    },
    piece(piece) {
      const isEarly = piece.focus > focus || (piece.focus === focus && piece.turn > newest.turn);
      if (!isEarly) return show(piece);
      early.push(piece);
      return [];
    },
  };
}
