import { execFileSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import type { Row } from '../support/report.ts';
import { type Bench, compareAll, isWorse, type RunBench, shown } from './against.ts';
import { readArguments } from './arguments.ts';
import { compare, figuresOf, median, moreIsBetter, numberIn } from './compare.ts';
import { checkOut, ROOT } from './revision.ts';

const BENCH: Bench = { file: 'x/run.ts', argv: [] };
const row = (figures: Record<string, string>, who = 'animus'): Row => ({ what: 'drain', who, figures });
const runsOf = (ours: readonly number[], theirs: readonly number[], figure = 'p50 ms') => ({
  this: ours.map((value) => new Map([[`drain | animus | ${figure}`, value]])),
  that: theirs.map((value) => new Map([[`drain | animus | ${figure}`, value]])),
});

test('arguments that are not ours go to the benchmark, except for all', () => {
  const all = { what: 'all', quick: false, against: null, times: 3, json: false, keep: false, rest: [] };
  expect(readArguments(['all', '--quick', '--against', 'HEAD~1', '--times', '5', '--json'])).toEqual({
    ...all,
    quick: true,
    against: 'HEAD~1',
    times: 5,
    json: true,
  });
  expect(readArguments(['a/run.ts', 'overhead', '--rounds', '1', '--against', 'main'])).toEqual({
    ...all,
    what: 'a/run.ts',
    against: 'main',
    rest: ['overhead', '--rounds', '1'],
  });
  expect(readArguments([])).toContain('expected "all"');
  expect(readArguments(['all', '--runs', '3'])).toBe('all takes no --runs 3');
  expect(readArguments(['all', '--against'])).toContain('expected a revision');
  expect(readArguments(['all', '--times', 'x'])).toContain('expected a whole number');
  expect(readArguments(['all', '--quick', '--keep'])).toContain('not a quick one');
});

test('a figure begins with its number', () => {
  const texts = ['1,234', '12.3 ms (1.2 ×)', '0.50 (+0.10)', ' 47 ms', 'polls', ''];
  expect(texts.map(numberIn)).toEqual([1234, 12.3, 0.5, 47, null, null]);
  expect([...figuresOf([row({ 'per s': '1,234', note: 'polls' })])]).toEqual([['drain | animus | per s', 1234]]);
});

test('the median of an even number is between the two in the middle', () => {
  expect([median([3, 1, 2]), median([4, 1, 2, 3])]).toEqual([2, 2.5]);
});

test('rates are better if they are more, times and sizes if they are less', () => {
  const names = [
    'drain per s, 10 | animus | jobs',
    'x | animus | turns/s',
    'drain per s | animus | p50 ms',
    'x | y | MB',
  ];
  expect(names.map(moreIsBetter)).toEqual([true, true, false, false]);
});

test('only what all pairs agree about is a difference, and two runs of each say nothing', () => {
  const verdict = (ours: number[], theirs: number[], figure?: string) =>
    compare(runsOf(ours, theirs, figure)).map((one) => one.verdict);
  const base = [10, 10, 10, 10, 10, 10];
  expect(verdict([11, 12, 11, 13, 11, 10.1], base)).toEqual(['worse']);
  expect(verdict([11, 12, 11, 13, 11, 9.9], base)).toEqual(['no difference']);
  expect(verdict([9, 9, 9, 9, 9, 9], base)).toEqual(['better']);
  expect(verdict([9, 9, 9, 9, 9, 9], base, 'turns/s')).toEqual(['worse']);
  expect(verdict([20, 20], [10, 10])).toEqual(['too few runs']);
  expect(compare(runsOf([0, 0], [0, 0]))).toEqual([]);
  expect(compare(runsOf([11, 12, 13], [10, 10, 10]))[0]).toMatchObject({
    this: 12,
    that: 10,
    ratio: { median: 1.2, least: 1.1, most: 1.3 },
  });
});

test('both take turns as A B B A, so a machine that becomes slower makes none of them worse', async () => {
  const order: string[] = [];
  let slower = 100;
  const run: RunBench = async (side) => {
    order.push(side);
    return [row({ 'p50 ms': String(slower++) })];
  };
  const { rows } = await compareAll([BENCH], 3, run);
  expect(order).toEqual([1, 2, 3].flatMap(() => ['this', 'that', 'that', 'this']));
  expect(rows.map(({ verdict }) => verdict)).toEqual(['no difference']);
});

test('what seems worse runs as often again, and is worse only if it stays so', async () => {
  const measured = async (ours: (n: number) => number) => {
    let runs = 0;
    const run: RunBench = async (side) => [row({ 'p50 ms': String(side === 'this' ? ours(runs++) : 10) })];
    const { rows } = await compareAll([BENCH], 3, run);
    return { runs, worse: rows.some(isWorse) };
  };
  expect(await measured((n) => (n < 6 ? 11 : 9))).toEqual({ runs: 12, worse: false });
  expect(await measured(() => 11)).toEqual({ runs: 12, worse: true });
  expect(await measured(() => 9)).toEqual({ runs: 6, worse: false });
});

test('figures of other programs are shown and never worse; what only one side has is named', async () => {
  const run: RunBench = async (side, { file }) => {
    if (file === 'new.ts') return side === 'this' ? [] : null;
    const peer = row({ 'p50 ms': side === 'this' ? '12' : '10' }, 'graphile-worker');
    return side === 'this' ? [peer, row({ 'CPU ms': '1' })] : [peer];
  };
  const comparison = await compareAll([BENCH, { file: 'new.ts', argv: [] }], 3, run);
  expect(comparison.rows.some(isWorse)).toBe(false);
  expect(comparison.missing).toEqual([
    'x/run.ts: only this has drain | animus | CPU ms',
    'new.ts: the revision does not have it',
  ]);
  expect(shown(comparison)).toContain(
    '| drain | graphile-worker | p50 ms | 12.0 | 10.0 | 1.20 (1.20 to 1.20) | not ours |',
  );
});

test.skipIf(!existsSync(join(ROOT, '.git')))(
  'a revision is checked out with the packages of this tree, and nothing of it is left',
  async () => {
    const revision = await checkOut('HEAD');
    try {
      expect(revision.commit).toMatch(/^[0-9a-f]{40}$/);
      expect(existsSync(join(revision.directory, 'node_modules/vitest'))).toBe(true);
    } finally {
      revision.remove();
    }
    revision.remove();
    expect(existsSync(revision.directory)).toBe(false);
    const known = execFileSync('git', ['worktree', 'list'], { cwd: ROOT, encoding: 'utf8' });
    expect(known).not.toContain(revision.directory);
    await expect(checkOut('no-such-revision')).rejects.toThrow();
  },
);
