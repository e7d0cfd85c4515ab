/** The output of the code of a call while it runs: shown only between the beginning and the end of the call, and each character at most once. */
import type { WorkEvent } from '../../../store/events/event.ts';
import type { OutputPiece } from '../../../store/transcript/live-text.ts';

/** A part of a stream of a call. */
export interface ShownOutput {
  readonly type: 'output';
  readonly key: string;
  readonly stream: 'stdout' | 'stderr';
  readonly text: string;
  /** True: what came before it was left out. */
  readonly gap: boolean;
}

export interface LiveOutput {
  /** Takes a recorded event, in order. */
  recorded(event: WorkEvent): void;
  /** Takes a piece. That of a call that is not known yet is kept until `settled`. */
  piece(piece: OutputPiece): readonly ShownOutput[];
  /** Call it after the recorded events were read again. */
  settled(): readonly ShownOutput[];
  /** True while pieces are kept: the tables have to be read. */
  readonly waits: boolean;
}

/** Names a call within an item: providers may use an id in several turns. */
export function callKey({ focus, turn }: { readonly focus: number; readonly turn: number }, callId: string): string {
  return `${focus} ${turn} ${callId}`;
}

/** A piece is kept for two reads: the first may have been just before the call was recorded. */
const LOOKS = 2;
const MAX_KEPT = 200;

export function createLiveOutput(): LiveOutput {
  /** How much of each stream was shown, of the calls that run. */
  const running = new Map<string, Record<OutputPiece['stream'], number>>();
  let kept: readonly { readonly piece: OutputPiece; readonly looks: number }[] = [];

  function show(piece: OutputPiece): ShownOutput[] {
    const { stream, from, output } = piece;
    const key = callKey(piece, piece.call);
    const shown = running.get(key);
    if (shown === undefined) return [];
    const text = output.slice(Math.max(0, shown[stream] - from));
    if (text === '') return [];
    const gap = from > shown[stream];
    shown[stream] = from + output.length;
    return [{ type: 'output', key, stream, text, gap }];
  }
  const isKnown = (piece: OutputPiece) => running.has(callKey(piece, piece.call));

  return {
    get waits() {
      return kept.length > 0;
    },
    recorded(event) {
      if (event.type === 'call') running.set(callKey(event, event.callId), { stdout: 0, stderr: 0 });
      else if (event.type === 'observation') running.delete(callKey(event, event.callId));
    },
    piece(piece) {
      if (kept.length === 0 && isKnown(piece)) return show(piece);
      kept = [...kept.slice(1 - MAX_KEPT), { piece, looks: 0 }];
      return [];
    },
    settled() {
      const due = kept;
      kept = due
        .filter(({ piece, looks }) => !isKnown(piece) && looks + 1 < LOOKS)
        .map(({ piece, looks }) => ({ piece, looks: looks + 1 }));
      return due.flatMap(({ piece }) => show(piece));
    },
  };
}
