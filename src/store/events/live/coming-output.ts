/** What the code of calls prints while it runs, kept for readers that join: of a work item, or of the items of a conversation. */
import { wholeCharacterFrom } from '../../../core/text/whole-character.ts';
import type { Hint } from '../event.ts';
import type { OutputPiece } from './live-pieces.ts';

export interface ComingOutput {
  /** Takes a piece; the hint for those who read already. */
  take(workItemId: string, piece: OutputPiece): Hint;
  /** Forgets the output of a call that has ended. */
  end(workItemId: string, callId: string): void;
  /** Forgets that of all items but these. */
  keep(items: ReadonlyMap<string, unknown>): void;
  /** One hint for each stream, with the end of what has arrived. */
  present(): readonly Hint[];
}

/** Characters of a stream that are kept. */
const KEPT_CHARS = 65_536;

export function createComingOutput(): ComingOutput {
  const streams = new Map<string, { readonly workItemId: string; readonly piece: OutputPiece }>();
  const forget = (gone: (workItemId: string, piece: OutputPiece) => boolean) => {
    for (const [key, { workItemId, piece }] of streams) if (gone(workItemId, piece)) streams.delete(key);
  };
  return {
    take(workItemId, piece) {
      const key = `${workItemId} ${piece.focus} ${piece.turn} ${piece.call} ${piece.stream}`;
      const before = streams.get(key)?.piece;
      // Where pieces are missing, the newest part begins.
      const goesOn = before !== undefined && before.from + before.output.length === piece.from;
      const kept = newestPart(goesOn ? { ...before, output: before.output + piece.output } : piece);
      streams.set(key, { workItemId, piece: kept });
      return hintOf(workItemId, piece);
    },
    end: (id, callId) => forget((workItemId, { call }) => workItemId === id && call === callId),
    keep: (items) => forget((workItemId) => !items.has(workItemId)),
    present: () => [...streams.values()].map(({ workItemId, piece }) => hintOf(workItemId, piece)),
  };
}

/** The end of the text; it does not begin in the middle of a character. */
function newestPart(piece: OutputPiece): OutputPiece {
  const over = piece.output.length - KEPT_CHARS;
  if (over <= 0) return piece;
  const cut = wholeCharacterFrom(piece.output, over);
  return { ...piece, from: piece.from + cut, output: piece.output.slice(cut) };
}

function hintOf(workItemId: string, { focus, turn, call, stream, from, output }: OutputPiece): Hint {
  return { type: 'observation', live: true, workItemId, focus, turn, callId: call, stream, from, text: output };
}
