/** The output of the code of a call while it runs: shown only between the beginning and the end of the call, and each character at most once. */
import type { HintOf } from '../../store/events/event.ts';
import type { FeedEntry } from '../../store/events/live/feed.ts';

/** A part of a stream of a call. */
export interface ShownOutput {
  readonly type: 'output';
  readonly key: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** True: what came before it was left out. */
  readonly gap: boolean;
}

/** Names a call within an item: providers may use an id in several turns. */
export function callKey({ focus, turn }: { readonly focus: number; readonly turn: number }, callId: string): string {
  return `${focus} ${turn} ${callId}`;
}

const MAX_KEPT = 200;

type Piece = HintOf<'observation'>;

export function foldOutput() {
  /** How much of each stream was shown, of the calls that run. */
  const running = new Map<string, Record<ShownOutput['stream'], number>>();
  let kept: readonly Piece[] = [];

  function show(piece: Piece): ShownOutput[] {
    const { stream, from, text: all } = piece;
    const key = callKey(piece, piece.callId);
    const shown = running.get(key);
    if (shown === undefined) {
      kept = [...kept.slice(1 - MAX_KEPT), piece];
      return [];
    }
    const text = all.slice(Math.max(0, shown[stream] - from));
    if (text === '') return [];
    const gap = from > shown[stream];
    shown[stream] = from + all.length;
    return [{ type: 'output', key, stream, text, gap }];
  }

  function showKept(): ShownOutput[] {
    const due = kept;
    kept = [];
    return due.flatMap(show);
  }

  return {
    /** Takes an entry of the feed; returns what is to be shown after it. A piece that comes before its call is recorded is kept until then. */
    after(entry: FeedEntry): readonly ShownOutput[] {
      if ('hint' in entry) return entry.hint.type === 'observation' ? show(entry.hint) : [];
      const { event } = entry.placed;
      switch (event.type) {
        case 'turn': {
          // The calls of turns before it have ended.
          const { focus, turn } = event;
          kept = kept.filter((piece) => piece.focus > focus || (piece.focus === focus && piece.turn >= turn));
          return [];
        }
        case 'call':
          running.set(callKey(event, event.callId), { stdout: 0, stderr: 0 });
          return showKept();
        case 'observation': {
          const ended = callKey(event, event.callId);
          running.delete(ended);
          kept = kept.filter((piece) => callKey(piece, piece.callId) !== ended);
          return [];
        }
        default:
          return [];
      }
    },
  };
}
