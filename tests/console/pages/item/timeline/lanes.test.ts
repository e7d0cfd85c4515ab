import { describe, expect, test } from 'vitest';
import type { CallRow, TurnRow } from '../../../../../src/console/pages/item/record/rows.ts';
import { barsWithin, busySpans, lanesOf } from '../../../../../src/console/pages/item/timeline/lanes.ts';

const call = (key: string, startMs: number | null, endMs: number | null, name = 'bash'): CallRow =>
  ({ key, name, startMs, endMs, isError: key === 'bad' }) as CallRow;
const turn = (key: string, begunMs: number, endMs: number | null): TurnRow =>
  ({ key, turn: 1, begunMs, endMs }) as TurnRow;
const shown = (calls: readonly CallRow[]) =>
  lanesOf({ foci: [], turns: [], calls }, 1000)
    .slice(2)
    .map(({ kind, bars }) => [kind, ...bars.map(({ key }) => key)]);

describe('lanesOf', () => {
  test('puts calls that ran at once into lanes of their own', () => {
    expect(shown([call('a', 0, 10), call('b', 5, 15), call('c', 10, 20), call('d', 30, 40)])).toEqual([
      ['call', 'a', 'c', 'd'],
      ['call', 'b'],
    ]);
  });

  test('has lanes for waits, and none for calls that have not begun', () => {
    expect(shown([call('a', 0, 500, 'wait_until'), call('b', null, null)])).toEqual([['wait', 'a']]);
  });

  test('has at most eight lanes for calls', () => {
    const calls = Array.from({ length: 50 }, (_, at) => call(`c${at}`, 0, 10));
    expect(shown(calls)).toHaveLength(8);
    expect(shown(calls).flat()).toHaveLength(58);
  });

  test('lets what goes on end now', () => {
    const [foci, turns] = lanesOf({ foci: [], turns: [turn('1.1', 900, null)], calls: [] }, 1000);
    expect(foci?.bars).toEqual([]);
    expect(turns?.bars[0]).toMatchObject({ fromMs: 900, toMs: 1000, open: true });
  });

  test('knows which calls failed', () => {
    const lanes = lanesOf({ foci: [], turns: [], calls: [call('bad', 0, 1)] }, 1);
    expect(lanes[2]?.bars[0]?.failed).toBe(true);
  });
});

test('waits are busy only where they begin and end', () => {
  const calls = [call('a', 0, 500, 'wait_until'), call('b', 600, 700)];
  const lanes = lanesOf({ foci: [], turns: [turn('1.1', 550, 600)], calls }, 1000);
  expect(busySpans(lanes).map(({ fromMs }) => fromMs)).toEqual([550, 600, 0, 500]);
});

test('barsWithin finds those that a part shows', () => {
  const [, turns] = lanesOf(
    { foci: [], turns: [0, 10, 20, 30].map((at) => turn(String(at), at, at + 5)), calls: [] },
    0,
  );
  const keys = (from: number, to: number) => barsWithin(turns?.bars ?? [], from, to).map(({ key }) => key);
  expect(keys(0, 100)).toEqual(['0', '10', '20', '30']);
  expect(keys(12, 22)).toEqual(['10', '20']);
  expect(keys(6, 9)).toEqual([]);
  expect(keys(40, 50)).toEqual([]);
});
