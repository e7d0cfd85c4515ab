/** Zooming and moving along a line. */
import type { View } from './draw-timeline.ts';

/** The shortest part of the line that is shown, in its unit. */
const LEAST = 20;

/** `by` above 1 shows less; `around` (0 to 1) is the place that stays where it is. */
export function zoomed({ from, to }: View, by: number, around: number, length: number): View {
  const size = Math.min(Math.max((to - from) / by, Math.min(LEAST, length)), length);
  return within({ from: from + (to - from - size) * around, to: from + (to - from - size) * around + size }, length);
}

/** `by`: in parts of what is shown. */
export function moved({ from, to }: View, by: number, length: number): View {
  const step = (to - from) * by;
  return within({ from: from + step, to: to + step }, length);
}

/** So that a place is shown. */
export function showing(view: View, at: number, length: number): View {
  if (at >= view.from && at <= view.to) return view;
  const half = (view.to - view.from) / 2;
  return within({ from: at - half, to: at + half }, length);
}

function within({ from, to }: View, length: number): View {
  const size = to - from;
  const begin = Math.min(Math.max(from, 0), Math.max(length - size, 0));
  return { from: begin, to: begin + size };
}
