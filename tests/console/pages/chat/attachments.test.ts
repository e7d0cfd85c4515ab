import { expect, test } from 'vitest';
import { addFiles, size } from '../../../../src/console/pages/chat/attachments.ts';

const file = (name: string, bytes = 1) => ({ name, content: new Blob([new Uint8Array(bytes)]) });
const MIB = 1024 * 1024;

test('files get names of their own, without signs that name folders or hide something', () => {
  const { files, refused } = addFiles(
    [file('a.txt')],
    [file('a.txt'), file('a.txt'), file('../x\u202e.txt'), file('b')],
  );
  expect(files.map(({ name }) => name)).toEqual(['a.txt', 'a-2.txt', 'a-3.txt', '__x_.txt', 'b']);
  expect(refused).toEqual([]);
});

test('what is too large for the API is refused, with the name', () => {
  expect(addFiles([], [file('big', 10 * MIB + 1)]).refused).toEqual(['big is larger than 10 MiB.']);
  const { files, refused } = addFiles([], [file('a', 10 * MIB), file('b', 10 * MIB), file('c')]);
  expect(files).toHaveLength(2);
  expect(refused).toHaveLength(1);
  expect(
    addFiles(
      Array.from({ length: 20 }, (_, at) => file(`f${at}`)),
      [file('x')],
    ).refused,
  ).toHaveLength(1);
});

test('sizes as people say them', () => {
  expect([0, 999, 1500, 2_500_000].map(size)).toEqual(['0 B', '999 B', '1.5 KB', '2.5 MB']);
});
