/** Runs benchmarks of this tree and of another revision in turns, and compares them. */
import type { Row } from '../support/report.ts';
import { type Compared, compare, type Figures, figuresOf, isPeer, ORDER, onlyIn, type Side } from './compare.ts';

/** A benchmark and its arguments. */
export interface Bench {
  /** Below `tests/bench`. */
  readonly file: string;
  readonly argv: readonly string[];
}

/** Runs a benchmark of one side; null: that side does not have it. */
export type RunBench = (side: Side, bench: Bench) => Promise<readonly Row[] | null>;

export interface Comparison {
  readonly rows: readonly (Compared & { readonly file: string })[];
  /** Benchmarks that the revision does not have, and figures that only one side has. */
  readonly missing: readonly string[];
}

/** Runs each benchmark `times` times in the order A B B A. One of which a figure seems worse runs as often again. */
export async function compareAll(benches: readonly Bench[], times: number, run: RunBench): Promise<Comparison> {
  const rows: Comparison['rows'][number][] = [];
  const missing: string[] = [];
  for (const bench of benches) {
    const runs: Record<Side, Figures[]> = { this: [], that: [] };
    const has = await takeTurns(bench, times, run, runs);
    if (!has) {
      missing.push(`${bench.file}: the revision does not have it`);
      continue;
    }
    if (compare(runs).some(isWorse)) await takeTurns(bench, times, run, runs);
    rows.push(...compare(runs).map((row) => ({ ...row, file: bench.file })));
    for (const side of ['this', 'that'] as const) {
      missing.push(...onlyIn(side, runs).map((name) => `${bench.file}: only ${side} has ${name}`));
    }
  }
  return { rows, missing };
}

/** Whether a figure of ours is worse beyond its spread. */
export function isWorse({ verdict, name }: Compared): boolean {
  return verdict === 'worse' && !isPeer(name);
}

/** False: the revision does not have it. */
async function takeTurns(
  bench: Bench,
  times: number,
  run: RunBench,
  runs: Readonly<Record<Side, Figures[]>>,
): Promise<boolean> {
  for (let n = 0; n < times; n++) {
    for (const side of ORDER) {
      const rows = await run(side, bench);
      if (rows === null) return false;
      runs[side].push(figuresOf(rows));
    }
  }
  return true;
}

/** The comparison as people read it. */
export function shown({ rows, missing }: Comparison): string {
  const lines = rows.map(({ name, ratio, verdict, ...row }) => {
    const spread = `${ratio.median.toFixed(2)} (${ratio.least.toFixed(2)} to ${ratio.most.toFixed(2)})`;
    return `| ${name} | ${round(row.this)} | ${round(row.that)} | ${spread} | ${isPeer(name) ? 'not ours' : WORDS[verdict]} |`;
  });
  return [
    '| measured | of | figure | this tree | the revision | this / that: median (least to most) | |',
    '|---|---|---|---:|---:|---:|---|',
    ...lines,
    ...missing.map((line) => `not compared: ${line}`),
  ].join('\n');
}

const WORDS: Readonly<Record<Compared['verdict'], string>> = {
  worse: 'WORSE',
  better: 'better',
  'no difference': 'the spread is larger than the difference',
  'too few runs': 'too few runs to say',
};

function round(value: number): string {
  return value >= 100 ? Math.round(value).toLocaleString('en') : value.toPrecision(3);
}
