import { expect, test } from 'vitest';
import { daysOf, periodOf } from '../../../../src/console/pages/money/period.ts';

const NOW = Date.parse('2026-03-01T12:00:00Z');
const of = (query: string) => periodOf(new URLSearchParams(query), NOW);

test('the last days end with today, over ends of months', () => {
  expect(of('')).toEqual({ since: '2026-01-31', until: '2026-03-02', days: 30 });
  expect(of('days=7')).toEqual({ since: '2026-02-23', until: '2026-03-02', days: 7 });
  expect(of('days=1')).toEqual({ since: '2026-03-01', until: '2026-03-02', days: 1 });
});

test('both days that were chosen are within it', () => {
  expect(of('from=2026-02-27&to=2026-02-28')).toEqual({ since: '2026-02-27', until: '2026-03-01', days: null });
});

test('what cannot be read is left out', () => {
  const usual = of('');
  for (const query of [
    'days=-3',
    'days=x',
    'from=2026-02-30&to=2026-03-01',
    'from=2026-03-02&to=2026-03-01',
    'from=1&to=2',
  ]) {
    expect(of(query)).toEqual(usual);
  }
});

test('days that have not begun are not shown', () => {
  expect(daysOf({ since: '2026-02-27', until: '2026-04-01', days: null }, NOW)).toEqual([
    '2026-02-27',
    '2026-02-28',
    '2026-03-01',
  ]);
});
