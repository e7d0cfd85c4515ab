import { describe, expect, test } from 'vitest';
import { bulkFilterOf, filterOf, savedPart, timeOf } from '../../../../src/console/pages/work/filter.ts';

const NOW = Date.parse('2026-11-30T12:00:30Z');
const read = (query: string) => filterOf(new URLSearchParams(query), NOW);

describe('filterOf', () => {
  test('reads lists, words, costs and orders', () => {
    expect(
      read('state=dead,cancelled&faculty=a, b&by=person:olga&q= disk full &cost=0.5&error=llm.x&sort=cost'),
    ).toEqual({
      state: ['dead', 'cancelled'],
      faculty: ['a', 'b'],
      submitted_by: ['person:olga'],
      q: 'disk full',
      min_cost_usd: 0.5,
      error: 'llm.x',
      sort: 'cost',
    });
  });

  test('leaves out what it does not know', () => {
    expect(read('state=odd&sort=odd&cost=much&since=odd&q=+&other=1')).toEqual({});
    expect(read('state=dead,odd')).toEqual({ state: ['dead'] });
    expect(read('cost=-1')).toEqual({});
  });

  test('reads times, also before now, to the minute', () => {
    expect(read('since=24h').since).toBe('2026-11-29T12:00:00.000Z');
    expect(timeOf('30m', NOW)).toBe('2026-11-30T11:30:00.000Z');
    expect(timeOf('7d', NOW)).toBe('2026-11-23T12:00:00.000Z');
    expect(timeOf('2026-11-01T00:00:00Z', NOW)).toBe('2026-11-01T00:00:00.000Z');
    expect(timeOf('', NOW)).toBeNull();
  });
});

describe('bulkFilterOf', () => {
  test('takes what the bulk acts can be asked for', () => {
    expect(bulkFilterOf(read('state=dead&faculty=a&since=1h&sort=cost'))).toEqual({
      state: 'dead',
      faculty: 'a',
      since: '2026-11-30T11:00:00.000Z',
    });
    expect(bulkFilterOf({})).toEqual({});
  });

  test('never takes less than the filter says', () => {
    for (const query of [
      'state=dead,cancelled',
      'faculty=a,b',
      'q=x',
      'by=person:a',
      'cost=1',
      'error=x',
      'until=1h',
    ]) {
      expect(bulkFilterOf(read(query)), query).toBeNull();
    }
  });
});

test('savedPart has only filters, in one order', () => {
  expect(savedPart(new URLSearchParams('sort=cost&tab=x&state=dead&q='))).toBe('state=dead&sort=cost');
});
