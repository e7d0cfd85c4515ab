/** Bars that look like one on a screen. */

interface Stretch {
  readonly left: number;
  readonly right: number;
}

/** A smaller gap between two bars, in pixels, cannot be seen. */
const LEAST_GAP_PX = 0.5;
/** Wider bars are drawn one by one, with an edge. */
const WIDE_PX = 4;

/** Narrow bars in a row as one: ten thousand become as many as there are pixels. In order of `left`. */
export function joined(bars: readonly Stretch[]): readonly Stretch[] {
  const all: { left: number; right: number }[] = [];
  let wasNarrow = false;
  for (const { left, right } of bars) {
    const last = all.at(-1);
    const isNarrow = right - left <= WIDE_PX;
    if (last !== undefined && isNarrow && wasNarrow && left - last.right < LEAST_GAP_PX)
      last.right = Math.max(last.right, right);
    else all.push({ left, right });
    wasNarrow = isNarrow;
  }
  return all;
}
