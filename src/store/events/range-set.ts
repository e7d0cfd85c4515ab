/** A set of small whole numbers, written as PostgreSQL's int4multirange: `{[1,4),[6,7)}`. */

export type RangeSet = readonly (readonly [from: number, until: number])[];

export const NO_NUMBERS: RangeSet = [];

/** Whether the number is in the set. */
export function hasNumber(set: RangeSet, number: number): boolean {
  return set.some(([from, until]) => from <= number && number < until);
}

/** The set with the number. */
export function withNumber(set: RangeSet, number: number): RangeSet {
  if (hasNumber(set, number)) return set;
  const before = set.filter(([, until]) => until < number);
  const after = set.filter(([from]) => from > number + 1);
  const touching = set.filter(([from, until]) => until >= number && from <= number + 1);
  const from = Math.min(number, ...touching.map(([start]) => start));
  const until = Math.max(number + 1, ...touching.map(([, end]) => end));
  return [...before, [from, until], ...after];
}

/** How PostgreSQL writes it. */
export function writeRanges(set: RangeSet): string {
  return `{${set.map(([from, until]) => `[${from},${until})`).join(',')}}`;
}

/** What `writeRanges` wrote; null if it is something else. */
export function readRanges(text: string): RangeSet | null {
  if (!/^\{(\[\d{1,9},\d{1,9}\)(,\[\d{1,9},\d{1,9}\))*)?\}$/.test(text)) return null;
  const set = [...text.matchAll(/\[(\d+),(\d+)\)/g)].map(([, from, until]) => [Number(from), Number(until)] as const);
  return set.every(([from, until], n) => from < until && (n === 0 || set[n - 1]![1] < from)) ? set : null;
}
