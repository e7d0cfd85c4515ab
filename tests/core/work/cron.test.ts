import { describe, expect, test } from 'vitest';
import { type DueTimes, readCron } from '../../../src/core/work/cron.ts';

describe('a cron expression', () => {
  test.each([
    ['*/15 * * * *', 'UTC', '2026-01-01T00:07:00Z', ['2026-01-01T00:15:00Z', '2026-01-01T00:30:00Z']],
    ['*/20 * * * * *', 'UTC', '2026-01-01T00:00:00.5Z', ['2026-01-01T00:00:20Z', '2026-01-01T00:00:40Z']],
    ['@daily', 'America/New_York', '2026-01-01T00:00:00Z', ['2026-01-01T05:00:00Z', '2026-01-02T05:00:00Z']],
    ['0 9 * * MON-FRI', 'UTC', '2026-01-02T10:00:00Z', ['2026-01-05T09:00:00Z', '2026-01-06T09:00:00Z']],
    ['0 0 29 2 *', 'UTC', '2026-01-01T00:00:00Z', ['2028-02-29T00:00:00Z', '2032-02-29T00:00:00Z']],
  ])('%s in %s', (cron, zone, from, expected) => {
    expect(nextOf(cron, zone, from, 2)).toEqual(expected.map((time) => new Date(time)));
  });

  test('whose time is skipped in spring runs right after the change, on that day only', () => {
    expect(nextOf('30 2 * * *', 'Europe/Berlin', '2026-03-28T12:00:00Z', 2)).toEqual([
      new Date('2026-03-29T01:00:00Z'),
      new Date('2026-03-30T00:30:00Z'),
    ]);
  });

  test('whose time comes twice in autumn runs once, and an hourly one every hour', () => {
    expect(nextOf('30 2 * * *', 'Europe/Berlin', '2026-10-24T12:00:00Z', 2)).toEqual([
      new Date('2026-10-25T00:30:00Z'),
      new Date('2026-10-26T01:30:00Z'),
    ]);
    expect(nextOf('0 * * * *', 'Europe/Berlin', '2026-10-24T23:30:00Z', 3)).toEqual([
      new Date('2026-10-25T00:00:00Z'),
      new Date('2026-10-25T01:00:00Z'),
      new Date('2026-10-25T02:00:00Z'),
    ]);
  });

  test('finds its last time at or before a moment', () => {
    const times = read('*/15 * * * *', 'UTC');
    expect(times.last(new Date('2026-01-01T00:15:00Z'))).toEqual(new Date('2026-01-01T00:15:00Z'));
    expect(times.last(new Date('2026-01-01T00:14:59.999Z'))).toEqual(new Date('2026-01-01T00:00:00Z'));
  });

  test.each([
    ['', 'UTC', 'cron "": expected five fields'],
    ['* * * *', 'UTC', '@daily, …: it has 4'],
    ['61 * * * *', 'UTC', 'Invalid value for minute: 61'],
    ['0 0 30 2 *', 'UTC', 'no such day exists'],
    ['2026-05-01T00:00:00', 'UTC', 'a date is not a cron expression'],
    ['@reboot', 'UTC', '@reboot is not supported'],
    ['0 0 0 1 1 * 2020', 'UTC', 'expected five fields'],
    ['* * * * *', 'Mars/Base', 'time zone "Mars/Base": expected an IANA name'],
    ['* * * * *', '+02:00', 'time zone "+02:00": expected an IANA name'],
    ['* * * * *', '', 'time zone ""'],
  ])('%j in %s is refused: %s', (cron, zone, problem) => {
    const reading = readCron(cron, zone);
    expect(reading.ok ? '' : reading.problem).toContain(problem);
  });
});

function read(cron: string, zone: string): DueTimes {
  const reading = readCron(cron, zone);
  if (!reading.ok) throw new Error(reading.problem);
  return reading.dueTimes;
}

function nextOf(cron: string, zone: string, from: string, count: number): (Date | null)[] {
  const times = read(cron, zone);
  const found: (Date | null)[] = [];
  for (let at: Date | null = new Date(from); at !== null && found.length < count; found.push(at)) at = times.next(at);
  return found;
}
