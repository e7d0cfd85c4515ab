/**
 * Streams an answer to watchers in other processes, while the item is watched. When somebody joins, or has lost
 * a piece and asks, what was sent of the answer is sent again, marked as earlier. The whole recorded answer follows.
 */
import type { Clock } from '../../core/lifecycle/clock.ts';
import { MAX_PIECE_CHARS, type TextPiece } from '../../store/events/live/live-pieces.ts';
import type { FocusEventBody } from './events.ts';
import { wholeCharacters } from './whole-characters.ts';

/** Pieces within this many milliseconds are sent together. While somebody watches, the first piece of an answer is sent at once. */
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
    await clock.sleep(mark === null ? GATHER_MS : 0, stopped.signal);
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

  /** For readers that joined since the last piece. If somebody joins meanwhile, the mark changes again, and the next piece notices it. */
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
          if (!event.live) return;
          if (answer?.turn !== event.turn) answer = { turn: event.turn, text: '', told: 0 };
          answer.text += event.text;
          telling ??= tellOn();
          return;
        case 'withdrawn':
        case 'turn':
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
