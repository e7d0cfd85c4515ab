/** Which rows of a long list exist. */

interface Sight {
  /** How far it was scrolled, how high it is, and how high each row is. */
  readonly top: number;
  readonly height: number;
  readonly rowPx: number;
  readonly count: number;
  /** Rows before and after those in sight. */
  readonly around: number;
}

/** `to` is the first one that does not. */
export function rowsInSight({ top, height, rowPx, count, around }: Sight): {
  readonly from: number;
  readonly to: number;
} {
  const from = Math.min(Math.max(Math.floor(top / rowPx) - around, 0), count);
  return { from, to: Math.min(Math.max(Math.ceil((top + height) / rowPx) + around, from), count) };
}
