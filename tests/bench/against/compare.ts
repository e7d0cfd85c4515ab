/** Compares the figures of two trees that ran in turns. */
import type { Row } from '../support/report.ts';

/** The two trees: `this` one, and `that` of the revision. */
export type Side = 'this' | 'that';

/** A B B A: what gets slower or faster while they run, such as a machine that warms up, meets both alike. */
export const ORDER: readonly Side[] = ['this', 'that', 'that', 'this'];

/** What is measured in one run of a benchmark, by name. */
export type Figures = ReadonlyMap<string, number>;

export type Verdict = 'worse' | 'better' | 'no difference' | 'too few runs';

export interface Compared {
  readonly name: string;
  /** Medians. */
  readonly this: number;
  readonly that: number;
  /** This to that, of runs next to each other: the median, and between which all of them are. */
  readonly ratio: { readonly median: number; readonly least: number; readonly most: number };
  readonly verdict: Verdict;
}

/** Fewer pairs than these agree by chance too often: six do once in 32 times, and a row that seems worse is measured again. */
const FEWEST_PAIRS = 6;

/** The figures of the rows of one run, each with what was measured and of whom in its name; texts without a number in front are left out. */
export function figuresOf(rows: readonly Row[]): Map<string, number> {
  return new Map(
    rows.flatMap(({ what, who, figures }) =>
      Object.entries(figures).flatMap(([name, text]) => {
        const value = numberIn(text);
        return value === null ? [] : [[`${what} | ${who} | ${name}`, value] as const];
      }),
    ),
  );
}

/** The number that a figure begins with: 1,234 of `1,234`, 12.3 of `12.3 ms (1.2 ×)`; null without one. */
export function numberIn(text: string): number | null {
  const digits = /^\s*(-?\d[\d,]*(?:\.\d+)?)/.exec(text)?.[1];
  return digits === undefined ? null : Number(digits.replaceAll(',', ''));
}

/** One row for each figure that both have in every run, in the order of the first. */
export function compare(runs: Readonly<Record<Side, readonly Figures[]>>): Compared[] {
  return [...(runs.this[0] ?? new Map<string, number>()).keys()].flatMap((name) => {
    const [ours, theirs] = [valuesOf(runs.this, name), valuesOf(runs.that, name)];
    if (ours === null || theirs === null) return [];
    // Neither is a ratio: a figure that is 0 says only that nothing of it happened.
    const ratios = ours.map((value, n) => value / theirs[n]!);
    if (!ratios.every((ratio) => Number.isFinite(ratio) && ratio > 0)) return [];
    const [least, most] = [Math.min(...ratios), Math.max(...ratios)];
    const ratio = { median: median(ratios), least, most };
    return [{ name, this: median(ours), that: median(theirs), ratio, verdict: verdictOf(name, ratios) }];
  });
}

/** Names of figures that only one of them has. */
export function onlyIn(side: Side, runs: Readonly<Record<Side, readonly Figures[]>>): string[] {
  const others = runs[side === 'this' ? 'that' : 'this'];
  const here = new Set(runs[side].flatMap((figures) => [...figures.keys()]));
  return [...here].filter((name) => !others.some((figures) => figures.has(name)));
}

function valuesOf(runs: readonly Figures[], name: string): number[] | null {
  const values = runs.map((figures) => figures.get(name));
  return values.every((value) => value !== undefined) ? values : null;
}

/** A difference is one if all pairs of runs agree about its direction. */
function verdictOf(name: string, ratios: readonly number[]): Verdict {
  if (ratios.length < FEWEST_PAIRS) return 'too few runs';
  const isMoreBetter = moreIsBetter(name);
  if (ratios.every((ratio) => ratio > 1)) return isMoreBetter ? 'better' : 'worse';
  if (ratios.every((ratio) => ratio < 1)) return isMoreBetter ? 'worse' : 'better';
  return 'no difference';
}

/** Rates and shares of what should be found; times, sizes and counts are better if they are less. */
export function moreIsBetter(name: string): boolean {
  const figure = name.slice(name.lastIndexOf('| ') + 2);
  if (/\b(ms|p\d+|MB|KB|MiB|bytes|CPU|syncs|transactions)\b/.test(figure)) return false;
  return /\bper s(econd)?\b|\/s\b|\bper second\b|recall|with to without/.test(name);
}

/** Figures of other programs, which no change of ours makes worse: they show how much the machine alone changes. */
export function isPeer(name: string): boolean {
  return /\b(bare|graphile|pg-boss|pgmq|pi|AI SDK|ai-sdk|LangGraph|langgraph|Fastify|Hono|Node alone|floor)\b/.test(
    name,
  );
}

export function median(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  return sorted.length % 2 === 1 ? sorted[Math.floor(middle)]! : (sorted[middle - 1]! + sorted[middle]!) / 2;
}
