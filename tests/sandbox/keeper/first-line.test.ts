import { PassThrough } from 'node:stream';
import { text } from 'node:stream/consumers';
import { expect, test } from 'vitest';
import { takeFirstLine } from '../../../src/sandbox/keeper/first-line.ts';

/** What is left of a stream in these pieces, and the lines that were asked about. */
async function taken(pieces: readonly string[], take = true): Promise<{ rest: string; lines: string[] }> {
  const stream = new PassThrough();
  const lines: string[] = [];
  const rest = takeFirstLine(stream, (line) => {
    lines.push(line);
    return take;
  });
  for (const piece of pieces) stream.write(piece);
  stream.end();
  return { rest: await text(rest), lines };
}

test.each<[string, string[], boolean, string, string[]]>([
  ['a line that is taken', ['id\nrest\nmore'], true, 'rest\nmore', ['id']],
  ['a line in pieces', ['i', 'd\nre', 'st'], true, 'rest', ['id']],
  ['an empty line', ['\nrest'], true, 'rest', ['']],
  ['a line that is left', ['id\nrest'], false, 'id\nrest', ['id']],
  ['no line at all', ['rest'], true, 'rest', []],
  ['nothing', [], true, '', []],
  ['a first line that is too long to be one', ['x'.repeat(1000), '\nrest'], true, `${'x'.repeat(1000)}\nrest`, []],
  ['the longest first line', ['x'.repeat(999), '\nrest'], true, 'rest', ['x'.repeat(999)]],
])('%s', async (_what, pieces, take, rest, lines) => {
  expect(await taken(pieces, take)).toEqual({ rest, lines });
});
