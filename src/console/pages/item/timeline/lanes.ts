/** What is drawn where: a lane for foci, one for turns, as many as are needed for calls that ran at once, and one for waits. */
import type { Focus } from '../../../../client/client.ts';
import type { CallRow, TurnRow } from '../record/rows.ts';
import type { Span } from './time-scale.ts';

export type BarKind = 'focus' | 'turn' | 'call' | 'wait';

export interface Bar extends Span {
  readonly kind: BarKind;
  /** Of a turn its key, of a call too, of a focus its number. */
  readonly key: string;
  readonly label: string;
  readonly failed: boolean;
  /** It goes on. */
  readonly open: boolean;
}

/** Bars of a lane are in order and do not overlap. */
export interface Lane {
  readonly kind: BarKind;
  readonly bars: readonly Bar[];
}

/** More calls at once share the last lane. */
const MOST_CALL_LANES = 8;
/** Calls that take so long have nothing to do but wait. */
const WAITS = new Set(['wait_until', 'ask_human', 'await_child_work']);

interface Recorded {
  readonly foci: readonly Focus[];
  readonly turns: readonly TurnRow[];
  readonly calls: readonly CallRow[];
}

/** `nowMs`: where what goes on ends for now. */
export function lanesOf({ foci, turns, calls }: Recorded, nowMs: number): readonly Lane[] {
  const focusBars = foci.map((focus): Bar => {
    const end = focus.ended_at === null ? nowMs : Date.parse(focus.ended_at);
    const failed = focus.error !== null && focus.ended_as !== 'completed';
    return bar('focus', String(focus.number), String(focus.number), Date.parse(focus.started_at), end, {
      failed,
      open: focus.ended_at === null,
    });
  });
  const turnBars = turns.map((turn) =>
    bar('turn', turn.key, String(turn.turn), turn.begunMs, turn.endMs ?? nowMs, {
      open: turn.endMs === null,
      failed: turn.lost,
    }),
  );
  const begun = calls.filter(({ startMs }) => startMs !== null);
  const callBars = begun.map((call) =>
    bar(WAITS.has(call.name) ? 'wait' : 'call', call.key, call.name, call.startMs!, call.endMs ?? nowMs, {
      failed: call.isError,
      open: call.endMs === null,
    }),
  );
  return [
    { kind: 'focus', bars: sorted(focusBars) },
    { kind: 'turn', bars: sorted(turnBars) },
    ...spread(callBars.filter(({ kind }) => kind === 'call')).map((bars): Lane => ({ kind: 'call', bars })),
    ...spread(callBars.filter(({ kind }) => kind === 'wait')).map((bars): Lane => ({ kind: 'wait', bars })),
  ];
}

function bar(
  kind: BarKind,
  key: string,
  label: string,
  fromMs: number,
  toMs: number,
  { failed = false, open = false }: { readonly failed?: boolean; readonly open?: boolean },
): Bar {
  return { kind, key, label, fromMs, toMs: Math.max(fromMs, toMs), failed, open };
}

function sorted(bars: readonly Bar[]): readonly Bar[] {
  return bars.toSorted((a, b) => a.fromMs - b.fromMs);
}

/** Each bar into the first lane that is free. */
function spread(bars: readonly Bar[]): readonly (readonly Bar[])[] {
  const lanes: Bar[][] = [];
  for (const one of sorted(bars)) {
    const free = lanes.find((lane) => (lane.at(-1)?.toMs ?? 0) <= one.fromMs);
    if (free !== undefined) free.push(one);
    else if (lanes.length < MOST_CALL_LANES) lanes.push([one]);
    else lanes.at(-1)?.push(one);
  }
  return lanes;
}

/** When anything of it happened: of what waits, and of a focus, that is only where it begins and ends. */
export function busySpans(lanes: readonly Lane[]): readonly Span[] {
  return lanes.flatMap(({ kind, bars }): readonly Span[] => {
    if (kind === 'turn' || kind === 'call') return bars;
    return bars.flatMap(({ fromMs, toMs }) => [
      { fromMs, toMs: fromMs },
      { fromMs: toMs, toMs },
    ]);
  });
}

/** The bars of a lane that are between two times. */
export function barsWithin(bars: readonly Bar[], fromMs: number, toMs: number): readonly Bar[] {
  let [low, high] = [0, bars.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (bars[middle]!.toMs < fromMs) low = middle + 1;
    else high = middle;
  }
  let end = low;
  while (end < bars.length && bars[end]!.fromMs <= toMs) end++;
  return bars.slice(low, end);
}
