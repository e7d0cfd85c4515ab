import { Readable } from 'node:stream';
import { expect, test } from 'vitest';
import { readAnyInput, readInput } from '../../../src/terminal/command/read-input.ts';

const input = (bytes: string | Buffer) => Readable.from([Buffer.from(bytes)]);

test('text is taken without white space at its end', async () => {
  expect(await readInput(input('  Grüße,\n日本 \n\n'))).toBe('  Grüße,\n日本');
  expect(await readAnyInput(input(' \n'))).toBe(' \n');
});

test.each([
  ['nothing', '', 'standard input is empty; expected a text'],
  ['white space', ' \n\t\n', 'standard input is empty; expected a text'],
  ['bytes of another encoding', Buffer.from('Gr\xfc\xdfe', 'latin1'), 'standard input is not text in UTF-8'],
  ['a part of a character', Buffer.from('日').subarray(0, 2), 'standard input is not text in UTF-8'],
  ['a NUL byte', 'ü\0b', 'standard input has a NUL byte, at byte 2: it is not text'],
])('%s is refused', async (_what, bytes, detail) => {
  await expect(readInput(input(bytes))).rejects.toMatchObject({
    code: 'usage.invalid',
    message: expect.stringContaining(detail),
  });
});
