/** From times to places on a line, on which nothing happens for hours takes little room. */

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

/** A piece of time: idle ones are short on the line, however long they last. */
interface Piece extends Span {
  /** Where it begins on the line, and how long it is there. */
  readonly at: number;
  readonly length: number;
  readonly idle: boolean;
}

export interface TimeScale {
  readonly pieces: readonly Piece[];
  /** Of the whole line; its unit is a millisecond in which something happened. */
  readonly length: number;
}

/** Of the time in which something happened: what all idle pieces take at most, and one of few. */
const IDLE_SHARE = 0.5;
const FEW = 25;

/** `spans`: when something happened, in any order. */
export function timeScale(spans: readonly Span[]): TimeScale {
  const busy = merged(spans);
  const busyMs = busy.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  const most = Math.max((busyMs * IDLE_SHARE) / Math.max(busy.length - 1, FEW), 1);
  const pieces: Piece[] = [];
  let at = 0;
  let endMs = busy[0]?.fromMs ?? 0;
  const add = (span: Span, length: number, idle: boolean) => {
    pieces.push({ ...span, at, length, idle });
    at += length;
  };
  for (const span of busy) {
    const idleMs = span.fromMs - endMs;
    if (idleMs > 0) add({ fromMs: endMs, toMs: span.fromMs }, Math.min(idleMs, most), idleMs > most);
    add(span, span.toMs - span.fromMs, false);
    endMs = span.toMs;
  }
  return { pieces, length: Math.max(at, 1) };
}

function merged(spans: readonly Span[]): Span[] {
  const all: { fromMs: number; toMs: number }[] = [];
  for (const { fromMs, toMs } of spans.toSorted((a, b) => a.fromMs - b.fromMs)) {
    const last = all.at(-1);
    if (last !== undefined && fromMs <= last.toMs) last.toMs = Math.max(last.toMs, toMs);
    else all.push({ fromMs, toMs: Math.max(fromMs, toMs) });
  }
  return all;
}

/** Where a time is on the line. */
export function placeOfTime({ pieces, length }: TimeScale, ms: number): number {
  const piece = lastBefore(pieces, (one) => one.fromMs <= ms);
  if (piece === undefined) return 0;
  if (ms >= piece.toMs) return Math.min(piece.at + piece.length, length);
  return piece.at + ((ms - piece.fromMs) / (piece.toMs - piece.fromMs)) * piece.length;
}

/** Which time is at a place of the line. */
export function timeAtPlace({ pieces }: TimeScale, at: number): number {
  const piece = lastBefore(pieces, (one) => one.at <= at) ?? pieces[0];
  if (piece === undefined) return 0;
  const share = piece.length === 0 ? 0 : Math.min(Math.max((at - piece.at) / piece.length, 0), 1);
  return piece.fromMs + share * (piece.toMs - piece.fromMs);
}

/** By halving: pieces are in order. */
function lastBefore<One>(all: readonly One[], isBefore: (one: One) => boolean): One | undefined {
  let [low, high] = [0, all.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (isBefore(all[middle]!)) low = middle + 1;
    else high = middle;
  }
  return all[low - 1];
}
