/**
 * Streams what code prints to watchers in other processes, while the item is watched. Anyone who begins to watch gets the newest part first; code
 * that prints faster than that is shown in part, and the result of its call has the rest.
 */

import type { Clock } from '../../core/lifecycle/clock.ts';
import { wholeCharacterFrom } from '../../core/text/whole-character.ts';
import { MAX_PIECE_CHARS, type OutputPiece } from '../../store/events/live/live-pieces.ts';
import type { FocusEventBody } from './events.ts';
import { wholeCharacters } from './whole-characters.ts';

/** Pieces within this many milliseconds are sent together. While somebody watches, the first of them is sent at once. */
const GATHER_MS = 200;
/** How often to check whether the item is watched now. */
const ASK_AGAIN_MS = 2000;
/** What is kept of a stream until it is sent; the oldest is left out. */
const KEPT_CHARS = 65_536;
/** Of all streams, in one round. */
const PIECES_AT_ONCE = 12;

export interface OutputTeller {
  /** Takes every event of the focus. */
  take(event: FocusEventBody): void;
  /** Stops sending. */
  stop(): Promise<void>;
}

/** The output of one stream of a call that runs. */
interface Printed {
  readonly turn: number;
  readonly call: string;
  readonly stream: 'stdout' | 'stderr';
  /** Not sent yet. */
  text: string;
  /** How many characters come before it. */
  from: number;
}

/** `tell` returns whether the item is watched; an error counts as no. An unwatched item costs one query per two seconds in which its code prints. */
export function createOutputTeller(
  focus: number,
  tell: (piece: OutputPiece) => Promise<boolean>,
  clock: Clock,
): OutputTeller {
  const printed = new Map<string, Printed>();
  const stopped = new AbortController();
  let telling: Promise<void> | null = null;
  let watched = false;

  async function tellOn(): Promise<void> {
    await clock.sleep(watched ? 0 : GATHER_MS, stopped.signal);
    while (untold(printed) && !stopped.signal.aborted) {
      watched = await tellSome();
      await clock.sleep(watched ? GATHER_MS : ASK_AGAIN_MS, stopped.signal);
    }
    telling = null;
  }

  async function tellSome(): Promise<boolean> {
    for (let sent = 0; sent < PIECES_AT_ONCE && !stopped.signal.aborted; sent++) {
      const next = untold(printed);
      if (next === null) break;
      const output = wholeCharacters(next.text.slice(0, MAX_PIECE_CHARS));
      if (output === '') break;
      const { turn, call, stream, from } = next;
      if (!(await tell({ focus, turn, call, stream, from, output }).catch(() => false))) return false;
      drop(next, from + output.length);
    }
    return true;
  }

  return {
    take(event) {
      if (event.type !== 'observation') return;
      if (!event.live) {
        for (const [key, { call }] of printed) if (call === event.callId) printed.delete(key);
      } else {
        const { turn, callId, stream, text } = event;
        const key = `${turn} ${callId} ${stream}`;
        const known = printed.get(key) ?? { turn, call: callId, stream, text: '', from: 0 };
        printed.set(key, known);
        known.text += text;
        drop(known, known.from + known.text.length - KEPT_CHARS);
        telling ??= tellOn();
      }
    },
    async stop() {
      stopped.abort('stopped');
      await telling;
    },
  };
}

/** The stream whose turn it is: the one with the most to send. */
function untold(printed: ReadonlyMap<string, Printed>): Printed | null {
  let most: Printed | null = null;
  for (const one of printed.values()) if (one.text.length > (most?.text.length ?? 0)) most = one;
  return most;
}

/** Forgets the text before position `to`. */
function drop(printed: Printed, to: number): void {
  const count = to - printed.from;
  if (count <= 0) return;
  const cut = wholeCharacterFrom(printed.text, count);
  printed.text = printed.text.slice(cut);
  printed.from += cut;
}
