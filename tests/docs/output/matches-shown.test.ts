import { describe, expect, test } from 'vitest';
import { matchesShown } from './matches-shown.ts';
import { standIns } from './stand-ins.ts';

const shows = (output: string, shown: string, known = standIns()) => matchesShown(output, shown.split('\n'), known);

describe('what a page shows as output', () => {
  test.each([
    ['the same', 'a  b\nc\n', 'a b\nc'],
    [
      'with other times, durations and versions',
      'at 2026-02-03T04:05:06.789Z, 1.25 s, 9.8.7',
      'at 2026-01-01T00:00:00.000Z, 12 ms, 0.2.0',
    ],
    ['where … is anything in a line', 'id x, faculty y', 'id …, faculty y'],
    ['where … is any number of lines', 'a\nb\nc\nd', 'a\n…\nd'],
    ['where … is not a line', 'a\nd', 'a\n…\nd'],
  ])('matches %s', (_name, output, shown) => expect(shows(output, shown)).toBe(true));

  test.each([
    ['another word', 'a\nc', 'a\nb'],
    ['a line more', 'a\nb\nc', 'a\nb'],
    ['a line less', 'a', 'a\nb'],
    ['characters of patterns', 'axb', 'a.b'],
    ['another number', '3 items', '4 items'],
  ])('does not match %s', (_name, output, shown) => expect(shows(output, shown)).toBe(false));

  test('an id stands for the one in its place from then on, also by its last digits', () => {
    const known = standIns();
    const [actual, other] = ['019a8f2e-7c31-7d7b-9f00-aaaaaaaaaaaa', '019a8f2e-7c31-7d7b-9f00-bbbbbbbbbbbb'];
    const page = '01a200f1-661a-7000-95e7-fb92960bd114';
    expect(shows(`${actual} is ${other}`, `${page} is ${page}`, known)).toBe(false);
    expect(shows(`${actual} is aaaaaaaaaaaa`, `${page} is fb92960bd114`, known)).toBe(true);
    expect(known.here('animus work show fb92960bd114')).toBe('animus work show aaaaaaaaaaaa');
    expect(known.here(`select '${page}'`)).toBe(`select '${actual}'`);
    expect(shows(other, page, known)).toBe(false);
    expect(shows(actual, page, known)).toBe(true);
  });

  test('a text stands for another as a whole word', () => {
    const known = standIns();
    known.set('ID', 'x1');
    expect(known.here('animus work show ID --IDS "ID"')).toBe('animus work show x1 --IDS "x1"');
  });

  test('an address stands for the one of this run, and none of its numbers for a version', () => {
    const known = standIns();
    known.set('127.0.0.1:7717', '127.0.0.1:40113');
    const page = 'Open http://127.0.0.1:7717/#/login/…  (animus 0.2.0)';
    expect(shows('Open http://127.0.0.1:40113/#/login/x  (animus 0.3.1)', page, known)).toBe(true);
    expect(shows('Open http://127.0.0.1:7717/#/login/x  (animus 0.3.1)', page, known)).toBe(false);
    expect(shows('Open http://10.0.0.1:40113/#/login/x  (animus 0.3.1)', page, known)).toBe(false);
  });
});
