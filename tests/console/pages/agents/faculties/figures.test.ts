import { expect, test } from 'vitest';
import { figuresOf } from '../../../../../src/console/pages/agents/faculties/figures.ts';

const item = (more: object) => ({
  state: 'completed' as const,
  created_at: '2026-11-30T10:00:00Z',
  run_at: null,
  resolved_at: '2026-11-30T10:01:00Z',
  cost_usd: 1,
  ...more,
});

test('counts what completed, and how long it took', () => {
  const { ended, completed, time, cost } = figuresOf([item({}), item({ state: 'dead', cost_usd: null })]);
  expect({ ended, completed, time, cost }).toEqual({
    ended: 2,
    completed: 1,
    time: { p50: 60_000, p95: 60_000 },
    cost: { p50: 1, p95: 1 },
  });
});

test('the time before work may begin does not count', () => {
  expect(figuresOf([item({ run_at: '2026-11-30T10:00:50Z' })]).time.p50).toBe(10_000);
  expect(figuresOf([item({ run_at: '2026-11-30T09:00:00Z' })]).time.p50).toBe(60_000);
});

test('nothing ended', () => {
  expect(figuresOf([])).toMatchObject({ ended: 0, time: { p50: null }, cost: { p95: null } });
});
