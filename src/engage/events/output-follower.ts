/** Inserts what code prints between the events of one item. */
import type { OutputPiece } from '../../store/transcript/live-text.ts';
import type { FocusEventBody } from './events.ts';

type OutputEvent = Extract<FocusEventBody, { readonly type: 'output' }>;

export interface OutputFollower {
  /** Takes an event from the tables, in order; returns the pieces of its call that arrived before it. */
  after(event: FocusEventBody): readonly OutputEvent[];
  /** Returns the piece as an event, or nothing while its call is not known, and after its end. */
  piece(piece: OutputPiece): readonly OutputEvent[];
}

/** Shows pieces only between the beginning and the end of their call, which has the whole. */
export function createOutputFollower(): OutputFollower {
  let focus = 0;
  const running = new Set<string>();
  let early: OutputPiece[] = [];

  return {
    after(event) {
      if (event.type === 'focus_started' && event.number > focus) {
        focus = event.number;
        running.clear();
      } else if (event.type === 'tool_ended') running.delete(keyOf(event.turn, event.callId));
      else if (event.type === 'tool_started') {
        running.add(keyOf(event.turn, event.callId));
        const due = early;
        early = [];
        return due.flatMap((piece) => this.piece(piece));
      }
      return [];
    },
    piece(piece) {
      const { turn, call, stream, output } = piece;
      if (piece.focus === focus && running.has(keyOf(turn, call)))
        return [{ type: 'output', turn, callId: call, stream, text: output }];
      if (piece.focus > focus || running.size === 0) early = [...early.slice(-MAX_EARLY), piece];
      return [];
    },
  };
}

function keyOf(turn: number, callId: string): string {
  return `${turn} ${callId}`;
}

/** They were printed within the time between two looks at the tables. */
const MAX_EARLY = 200;
