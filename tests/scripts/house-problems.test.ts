import { expect, test } from 'vitest';
import { type House, houseProblems, TESTED_ELSEWHERE } from '../../scripts/house-problems.ts';

const SOUND: House = {
  rootNames: ['src', 'package.json', '.gitignore'],
  sqlLines: new Map([['01_words.sql', 250]]),
  rooms: ['core/text', ...Object.keys(TESTED_ELSEWHERE)],
  testedRooms: ['core/text', ...Object.values(TESTED_ELSEWHERE)],
};

test('a house in order has no problems', () => {
  expect(houseProblems(SOUND)).toEqual([]);
});

test.each<[string, Partial<House>, RegExp]>([
  ['a name at the root that nobody knows', { rootNames: ['src', 'undefined'] }, /^undefined: not known/],
  ['a long file of SQL', { sqlLines: new Map([['01_words.sql', 251]]) }, /01_words\.sql: 251 lines, at most 250/],
  ['a room without tests', { rooms: [...SOUND.rooms, 'core/new'] }, /^src\/core\/new: no tests in tests\/core\/new/],
  [
    'a room that was said to be tested elsewhere and has tests now',
    { testedRooms: [...SOUND.testedRooms, 'client/api'] },
    /^src\/client\/api: has tests of its name/,
  ],
  [
    'a room that is said to be tested where there are no tests',
    { testedRooms: SOUND.testedRooms.filter((room) => room !== 'client') },
    /^src\/client\/api: its tests should be in tests\/client/,
  ],
  ['a listed room that is gone', { rooms: ['core/text'] }, /not a room, but listed/],
])('%s is a problem', (_, change, problem) => {
  expect(houseProblems({ ...SOUND, ...change }).filter((line) => problem.test(line))).not.toEqual([]);
});
