import fc from 'fast-check';
import { describe, expect, test } from 'vitest';
import { createTextFlow } from '../../../../src/features/conversations/console/text-flow.ts';
import { displayWidth } from '../../../../src/terminal/view/display-width.ts';

/** The rows of a text that comes in these pieces. */
function rowsOf(pieces: readonly string[], width = 20): string[] {
  const flow = createTextFlow();
  return [...pieces.flatMap((piece) => flow.feed(piece, width)), ...flow.end()];
}

describe('rows of a text that comes in pieces', () => {
  test.each([
    ['words', ['one two three four five six'], ['one two three four', 'five six']],
    ['a word that grows', ['one two three four fi', 've'], ['one two three four', 'five']],
    ['lines, one of them empty', ['\n\none\n\n  two'], ['one', '', '  two']],
    ['a row that is full at the end of a word', ['aaaaaaaaaaaaaaaaaaaa b'], ['aaaaaaaaaaaaaaaaaaaa', 'b']],
    ['a word that is too long', ['x'.repeat(45)], ['x'.repeat(20), 'x'.repeat(20), 'xxxxx']],
    ['wide characters', ['日本語'.repeat(5)], ['日本語日本語日本語日', '本語日本語']],
    ['an emoji in two pieces', ['a \ud83d\udc69\u200d', '\ud83d\udcbb b'], ['a \u{1f469}\u200d\u{1f4bb} b']],
    ['a line end in two pieces', ['one\r', '\ntwo'], ['one', 'two']],
    ['a carriage return that would overwrite', ['safe\rrm -rf'], ['safe\\x0drm -rf']],
    ['escape sequences, also in two pieces', ['a\u001b', '[2Jb\u009b1m\u0007'], ['a\\x1b[2Jb\\x9b1m\\x07']],
    ['characters that reorder text', ['a\u202eb\u2066c'], ['a\\u202eb\\u2066c']],
    ['half a character', ['a\ud800b'], ['a\ufffdb']],
    ['tabs', ['a\tb'], ['a  b']],
  ])('%s', (_what, pieces, rows) => {
    expect(rowsOf(pieces)).toEqual(rows);
  });

  test('nothing of a text that has ended shows in the next one', () => {
    const flow = createTextFlow();
    expect([...flow.feed('one two three four five\r', 20), ...flow.end()]).toEqual(['one two three four', 'five']);
    expect([...flow.feed('\n  six', 20), ...flow.end()]).toEqual(['six']);
    flow.feed('seven', 20);
    expect([flow.breakRow(), flow.end()]).toEqual([true, []]);
    expect([...flow.feed('a\n  b', 20), ...flow.end()]).toEqual(['a', '  b']);
  });

  test('a line of a megabyte, and one of characters without a width', () => {
    expect(rowsOf(['x'.repeat(1_000_000)], 100)).toHaveLength(10_000);
    const marks = rowsOf([`a${'\u0301'.repeat(100_000)}b`], 20);
    expect(marks.join('')).toBe(`a${'\u0301'.repeat(100_000)}b`);
    expect(rowsOf(['\u200b'.repeat(10_000)], 20).join('')).toBe('\u200b'.repeat(10_000));
  });

  test('however it is cut: no row is too wide, nothing is lost, nothing controls the terminal', () => {
    const character = fc.constantFrom(
      'a',
      'bc',
      ' ',
      '  ',
      '\n',
      '日',
      '\u{1f600}',
      '\u0301',
      '\u200b',
      '\u001b[A',
      '\t',
      '\u202e',
    );
    fc.assert(
      fc.property(
        fc.array(fc.array(character).map((all) => all.join(''))),
        fc.integer({ min: 10, max: 30 }),
        (pieces, width) => {
          const rows = rowsOf(pieces, width);
          for (const row of rows) expect(displayWidth(row)).toBeLessThanOrEqual(width);
          // oxlint-disable-next-line no-control-regex
          expect(rows.join('')).not.toMatch(/[\u0000-\u001f\u202e]/);
          const bare = (text: string) =>
            text.replaceAll('\u001b', '\\x1b').replaceAll('\u202e', '\\u202e').replaceAll(/\s/g, '');
          expect(bare(rows.join(''))).toBe(bare(pieces.join('')));
        },
      ),
      { numRuns: 300 },
    );
  });
});
