import { expect, test } from 'vitest';
import { hrefTo, placeOf } from '../../../src/console/model/place.ts';

const read = (hash: string) => {
  const { page, rest, query } = placeOf(hash);
  return { page, rest, query: Object.fromEntries(query) };
};

test('an address without a page shows the first one', () => {
  for (const hash of ['', '#', '#/']) expect(read(hash)).toEqual({ page: 'now', rest: [], query: {} });
});

test('an address is read as it was written, with any characters', () => {
  const href = hrefTo('work', ['a/b c', 'ü?#&%'], { q: 'x=1&y ü', state: 'dead', none: null, empty: '', zero: 0 });
  expect(read(href)).toEqual({
    page: 'work',
    rest: ['a/b c', 'ü?#&%'],
    query: { q: 'x=1&y ü', state: 'dead', zero: '0' },
  });
});

test('a question mark of a filter belongs to the filter', () => {
  expect(read('#/work?q=why?now')).toEqual({ page: 'work', rest: [], query: { q: 'why?now' } });
});

test('a part with a wrong escape is taken as it stands', () => {
  expect(read('#/work/%E0%A4%A')).toEqual({ page: 'work', rest: ['%E0%A4%A'], query: {} });
});
