/**
 * Streams an answer to watchers in other processes. The daemon's side batches pieces and sends them while the item is
 * watched. The watcher's side inserts them between the events that it reads from the tables. Lost pieces are not
 * repeated: the whole recorded answer follows.
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
  /** Stops sending. */
  stop(): Promise<void>;
}

/** `tell` returns whether the item is watched; an error counts as no. An unwatched item costs one query per two seconds of an answer. */
export function createTextTeller(
  focus: number,
  tell: (piece: TextPiece) => Promise<boolean>,
  clock: Clock,
): TextTeller {
  let answer: { readonly turn: number; text: string; told: number } | null = null;
  let watched = false;
  let telling: Promise<void> | null = null;
  const stopped = new AbortController();

  const untold = () => (answer && answer.told < answer.text.length ? answer : null);

  async function tellOn(): Promise<void> {
    await clock.sleep(GATHER_MS, stopped.signal);
    for (let current = untold(); current && !stopped.signal.aborted; current = untold()) {
      const text = wholeCharacters(current.text.slice(current.told, current.told + MAX_PIECE_CHARS));
      if (text === '') break;
      watched = await tell({ focus, turn: current.turn, from: current.told, text }).catch(() => false);
      if (watched) current.told += text.length;
      // A new watcher gets the answer from its beginning, as fast as it can be sent.
      if (watched && current.told < current.text.length) continue;
      await clock.sleep(watched ? GATHER_MS : ASK_AGAIN_MS, stopped.signal);
    }
    telling = null;
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
    async stop() {
      // A reason of our own: the default one is an error with a stack trace, made for every focus and seen by nobody.
      stopped.abort('stopped');
      await telling;
    },
  };
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
