import { expect, test } from 'vitest';
import type { Activity } from '../../../../src/client/client.ts';
import { dayOf } from '../../../../src/console/pages/now/day.ts';

test('activity is columns for charts, with sums', () => {
  const row: Activity = {
    at: '2026-11-30T10:00:00.000Z',
    faculty: null,
    submitted: 3,
    completed: 2,
    dead: 1,
    cancelled: 0,
    merged: 0,
    p50_seconds: 4,
    p95_seconds: null,
    usd: 0.5,
    input_tokens: 0,
    output_tokens: 0,
  };
  const day = dayOf([row, { ...row, at: '2026-11-30T11:00:00.000Z', dead: 4 }]);
  expect(day.x).toEqual([1_796_032_800, 1_796_036_400]);
  expect(day.dead).toEqual([1, 4]);
  expect(day.p95).toEqual([null, null]);
  expect(day.totals).toEqual({ submitted: 6, completed: 4, dead: 5, usd: 1 });
  expect(dayOf([]).x).toEqual([]);
});
