import { describe, expect, test } from 'vitest';
import { placeOfTime, timeAtPlace, timeScale } from '../../../../../src/console/pages/item/timeline/time-scale.ts';

const HOUR = 3_600_000;

describe('timeScale', () => {
  test('is as long as what happened', () => {
    const scale = timeScale([
      { fromMs: 0, toMs: 100 },
      { fromMs: 50, toMs: 200 },
    ]);
    expect(scale.length).toBe(200);
    expect(scale.pieces).toHaveLength(1);
  });

  test('shortens hours in which nothing happened', () => {
    const scale = timeScale([
      { fromMs: 0, toMs: 1000 },
      { fromMs: HOUR, toMs: HOUR + 1000 },
    ]);
    expect(scale.length).toBe(2040);
    expect(scale.pieces.map(({ idle }) => idle)).toEqual([false, true, false]);
    expect(placeOfTime(scale, HOUR)).toBe(1040);
    expect(placeOfTime(scale, HOUR / 2)).toBeGreaterThan(1000);
  });

  test('leaves many pauses less room than what happened', () => {
    const spans = Array.from({ length: 1000 }, (_, at) => ({ fromMs: at * HOUR, toMs: at * HOUR + 1000 }));
    expect(timeScale(spans).length).toBeLessThan(1_500_001);
  });

  test('is there and back the same', () => {
    const scale = timeScale([
      { fromMs: 10, toMs: 110 },
      { fromMs: HOUR, toMs: HOUR + 300 },
    ]);
    for (const ms of [10, 60, 110, HOUR / 2, HOUR, HOUR + 299]) {
      expect(timeAtPlace(scale, placeOfTime(scale, ms))).toBeCloseTo(ms, 3);
    }
  });

  test('has an end on both sides', () => {
    const scale = timeScale([{ fromMs: 100, toMs: 200 }]);
    expect([placeOfTime(scale, 0), placeOfTime(scale, 1000)]).toEqual([0, 100]);
    expect([timeAtPlace(scale, -5), timeAtPlace(scale, 500)]).toEqual([100, 200]);
    expect(timeScale([]).length).toBe(1);
    expect(placeOfTime(timeScale([]), 5)).toBe(0);
  });
});
