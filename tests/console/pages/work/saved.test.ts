import { expect, test } from 'vitest';
import { readSaved, withFilter } from '../../../../src/console/pages/work/saved.ts';

test('what is kept in a browser may be anything', () => {
  const good = { name: 'mine', query: 'by=a' };
  expect(readSaved(JSON.stringify([good, { name: '' }, 7, null, { name: 'x', query: 5 }]))).toEqual([good]);
  expect(readSaved(null)).toEqual([]);
  expect(readSaved('{')).toEqual([]);
  expect(readSaved('{"a":1}')).toEqual([]);
  expect(readSaved(JSON.stringify([{ name: 'x', query: 'q'.repeat(3000) }]))).toEqual([]);
});

test('a filter replaces the one of its name', () => {
  const before = [
    { name: 'a', query: '1' },
    { name: 'b', query: '2' },
  ];
  expect(withFilter(before, { name: 'a', query: '3' })).toEqual([
    { name: 'b', query: '2' },
    { name: 'a', query: '3' },
  ]);
});
