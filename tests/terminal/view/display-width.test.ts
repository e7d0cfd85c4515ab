import * as fc from 'fast-check';
import stringWidth from 'string-width';
import { describe, expect, test } from 'vitest';
import { displayWidth, pad, truncate } from '../../../src/terminal/view/display-width.ts';

describe('the width of text', () => {
  test.each([
    ['abc', 3],
    ['', 0],
    ['日本語', 6],
    ['ｱｲｳ', 3],
    ['한글', 4],
    ['é', 1],
    ['e\u0301', 1],
    ['👩‍👩‍👧', 2],
    ['🇩🇪', 2],
    ['✔️', 2],
    ['✔', 1],
    ['a\u200bb', 2],
    ['𠀋', 2],
    ['…─└│', 4],
    ['䷀', 2],
    ['ﾊﾞ', 2],
    ['\u3164', 0],
  ])('%j is %i columns', (text, width) => {
    expect(displayWidth(text)).toBe(width);
  });

  test('is what the library says, also for characters it is not asked about', () => {
    for (let code = 0x20; code < 0x2200; code++) {
      const text = `${String.fromCodePoint(code)}x`;
      expect(displayWidth(text), code.toString(16)).toBe(stringWidth(text, { countAnsiEscapeCodes: true }));
    }
  });

  test('cut text never exceeds its width, and text that fits is unchanged', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'grapheme' }), fc.integer({ min: 0, max: 20 }), (text, width) => {
        const cut = truncate(text, width);
        expect(displayWidth(cut)).toBeLessThanOrEqual(width);
        if (displayWidth(text) <= width) expect(cut).toBe(text);
      }),
    );
  });

  test('padding counts columns, not characters', () => {
    expect(pad('日本', 6)).toBe('日本  ');
    expect(pad('7', 3, 'right')).toBe('  7');
    expect(truncate('日本語', 4)).toBe('日…');
  });
});
