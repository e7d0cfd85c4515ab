import { expect, test } from 'vitest';
import { forecastOf, forecastSince } from '../../../../src/console/pages/money/forecast.ts';

const spend = (days: Readonly<Record<string, number>>) => Object.entries(days).map(([day, usd]) => ({ day, usd }));

test('adds the average of whole days for what is left of the month', () => {
  const now = Date.parse('2026-11-29T12:00:00Z');
  const rows = spend({ '2026-11-29': 100, '2026-11-28': 4, '2026-11-27': 2, '2026-11-22': 1, '2026-11-21': 50 });
  const { month, soFar, perDay, days, daysLeft, atEnd } = forecastOf(rows, now);
  expect({ month, soFar, perDay, days, daysLeft }).toEqual({
    month: '2026-11-01',
    soFar: 157,
    perDay: 1,
    days: 7,
    daysLeft: 1.5,
  });
  expect(atEnd).toBe(158.5);
});

test('days before the first spend are not averaged, and today is none', () => {
  const now = Date.parse('2026-11-20T00:00:00Z');
  expect(forecastOf(spend({ '2026-11-20': 9, '2026-11-18': 6 }), now)).toMatchObject({ perDay: 3, days: 2 });
  expect(forecastOf(spend({ '2026-11-20': 9 }), now)).toMatchObject({ soFar: 9, perDay: null, atEnd: null });
  expect(forecastOf([], now)).toMatchObject({ soFar: 0, perDay: null, atEnd: null });
});

test('at the beginning of a month the average is of the last one', () => {
  const now = Date.parse('2026-12-01T00:00:00Z');
  expect(forecastSince(now)).toBe('2026-11-24');
  expect(forecastOf(spend({ '2026-11-24': 7, '2026-11-30': 7 }), now)).toMatchObject({
    soFar: 0,
    perDay: 2,
    daysLeft: 31,
    atEnd: 62,
  });
});

test('what nobody can price counts as nothing', () => {
  const now = Date.parse('2026-11-20T00:00:00Z');
  const rows = [{ day: '2026-11-19', usd: null }, ...spend({ '2026-11-18': 4 })];
  expect(forecastOf(rows, now)).toMatchObject({ soFar: 4, perDay: 2, days: 2 });
});
