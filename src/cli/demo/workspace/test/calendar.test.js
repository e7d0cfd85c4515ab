import assert from 'node:assert/strict';
import { test } from 'node:test';
import { dayInZone, daysBetween } from '../src/calendar.js';

test('noon in London is the same day everywhere near', () => {
  assert.equal(dayInZone('2026-06-01T11:00:00Z', 'Europe/London'), '2026-06-01');
});

test('an evening in New York is still the day before UTC', () => {
  assert.equal(dayInZone('2026-03-08T03:30:00Z', 'America/New_York'), '2026-03-07');
});

test('a reminder at breakfast in Tokyo is one day after the evening before', () => {
  assert.equal(daysBetween('2026-06-01T11:00:00Z', '2026-06-01T22:00:00Z', 'Asia/Tokyo'), 1);
});
