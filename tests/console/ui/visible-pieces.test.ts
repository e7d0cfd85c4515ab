import { expect, test } from 'vitest';
import { exactJson, hasOdd, type Piece, visiblePieces } from '../../../src/console/ui/visible-pieces.ts';

const shown = (pieces: readonly Piece[]) =>
  pieces.map((piece) => (typeof piece === 'string' ? piece : `[${piece.shown}]`)).join('');
const code = (text: string) => shown(visiblePieces(text, 'code'));
const prose = (text: string) => shown(visiblePieces(text, 'text'));
const names = (text: string) =>
  visiblePieces(text, 'code').flatMap((piece) => (typeof piece === 'string' ? [] : [piece.name]));

test('what is ASCII stays one piece', () => {
  expect(visiblePieces('npm test -- --run "a b"\n\tx', 'code')).toEqual(['npm test -- --run "a b"\n\tx']);
  expect(visiblePieces('', 'code')).toEqual([]);
  expect(hasOdd('git push', 'code')).toBe(false);
});

test.each([
  ['a right-to-left override', 'rm \u202etxt.exe', 'rm [RLO]txt.exe', 'U+202E RIGHT-TO-LEFT OVERRIDE'],
  ['an isolate', 'a\u2066b\u2069', 'a[LRI]b[PDI]', 'U+2066 LEFT-TO-RIGHT ISOLATE'],
  ['a zero-width space', 'rm\u200b-rf', 'rm[ZWSP]-rf', 'U+200B ZERO WIDTH SPACE'],
  ['a byte order mark', '\ufeffls', '[BOM]ls', 'U+FEFF ZERO WIDTH NO-BREAK SPACE'],
  ['a control character', 'a\u0007b', 'a[BEL]b', 'U+0007 BELL'],
  [
    'a carriage return, which overwrites the line in a terminal',
    'safe\rrm -rf /',
    'safe[CR]rm -rf /',
    'U+000D CARRIAGE RETURN',
  ],
  ['a space that separates no words', 'rm\u00a0-rf', 'rm[U+00A0]-rf', 'U+00A0 SPACE'],
  ['a tag character', 'a\u{e0041}', 'a[U+E0041]', 'U+E0041 TAG A'],
  ['a letter of the private use area', 'a\ue000', 'a[U+E000]', 'U+E000 PRIVATE USE'],
  ['half of a pair', 'a\ud800', 'a[U+D800]', 'U+D800 HALF OF A SURROGATE PAIR'],
  ['a stroke over the letter before', 'a=\u0338b', 'a=[U+0338]b', 'U+0338 COMBINING MARK'],
])('%s is shown and named', (_, text, expected, name) => {
  expect(code(text)).toBe(expected);
  expect(names(text)[0]).toBe(name);
  expect(hasOdd(text, 'code')).toBe(true);
});

test('a sequence for terminals is one piece, with all that it contains', () => {
  expect(code('a\u001b[31mred\u001b[0m')).toBe('a[ESC[31m]red[ESC[0m]');
  expect(code('\u001b]8;;https://evil.test\u0007here\u001b]8;;\u0007')).toBe(
    '[ESC]8;;https://evil.testBEL]here[ESC]8;;BEL]',
  );
  expect(code('\u009b2J')).toBe('[U+009B2J]');
});

test('a long run of them is one piece', () => {
  const pieces = visiblePieces(`a${'\u200b'.repeat(100_000)}b`, 'code');
  expect(pieces).toHaveLength(3);
  expect(code(`a${'\u200b'.repeat(10)}b`)).toBe('a[ZWSP ZWSP ZWSP ZWSP ZWSP ZWSP +4]b');
});

test.each([
  ['a Cyrillic letter in a Latin word', 'ѕudo rm', '[ѕ]udo rm', 'U+0455 (Cyrillic) looks like «s»'],
  [
    'a word of look-alikes alone',
    'сору x',
    '[сору] x',
    'U+0441 (Cyrillic) looks like «c»; U+043E (Cyrillic) looks like «o»; U+0440 (Cyrillic) looks like «p»; U+0443 (Cyrillic) looks like «y»',
  ],
  ['a fullwidth letter', 'ｒm', '[ｒ]m', 'U+FF52 (Latin) looks like «r»'],
  ['a mathematical letter', '𝗿𝗺', '[𝗿𝗺]', 'U+1D5FF (sign) looks like «r»; U+1D5FA (sign) looks like «m»'],
  ['a slash that is none', 'a∕b', 'a[∕]b', 'U+2215 (sign) looks like «/»'],
  ['a dash that begins no option', 'rm –rf', 'rm [–]rf', 'U+2013 (sign) looks like «-»'],
  ['quotes that quote nothing', 'echo “a”', 'echo [“]a[”]', 'U+201C (sign) looks like «"»'],
  ['the Greek question mark', 'a\u037e b', 'a[\u037e] b', 'U+037E (sign) looks like «;»'],
])('%s is marked in code', (_, text, expected, name) => {
  expect(code(text)).toBe(expected);
  expect(names(text)[0]).toBe(name);
});

test('words of other scripts are words', () => {
  expect(code('echo привет Straße naïve 日本語')).toBe('echo привет Straße naïve 日本語');
});

test('prose keeps what natural text contains, and shows what hides or reorders', () => {
  expect(prose('“Straße” – 👩‍💻 naïve می‌خواهم')).toBe('“Straße” – 👩‍💻 naïve می‌خواهم');
  expect(prose('a\r\nb')).toBe('a\r\nb');
  expect(prose('pay \u202e001')).toBe('pay [RLO]001');
  expect(prose(`x${'\ufe0f\ufe0e'.repeat(3)}`)).toBe('x[U+FE0F U+FE0E U+FE0F U+FE0E U+FE0F U+FE0E]');
  expect(prose('a\u001b[2Jb')).toBe('a[ESC[2J]b');
});

test('contents of files keep their quotes and dashes, and show disguised letters', () => {
  expect(shown(visiblePieces('“a” – ѕudo \u202eb', 'source'))).toBe('“a” – [ѕ]udo [RLO]b');
});

test('all pieces together are the whole text', () => {
  const odd = 'aА\u202e\u200b∕ｒ\u001b[0m日\n\u0338é\ud800 \t';
  for (let seed = 1; seed < 300; seed++) {
    const text = Array.from({ length: 30 }, (_, at) => Array.from(odd)[(seed * 7919 + at * at * 31) % 17] ?? 'x').join(
      '',
    );
    const lengths = visiblePieces(text, 'code')
      .filter((piece) => typeof piece === 'string')
      .join('').length;
    expect(lengths).toBeLessThanOrEqual(text.length);
    const plain = visiblePieces(text, 'code').flatMap((piece) => (typeof piece === 'string' ? [piece] : []));
    let from = 0;
    for (const piece of plain) {
      const found = text.indexOf(piece, from);
      expect(found).toBeGreaterThanOrEqual(from);
      from = found + piece.length;
    }
  }
});

test('the exact text is ASCII and the same', () => {
  const text = 'a\u202e"é\n😀';
  expect(exactJson(text)).toBe('"a\\u202e\\"\\u00e9\\n\\ud83d\\ude00"');
  expect(JSON.parse(exactJson(text))).toBe(text);
});

test('a long text of anything takes time in proportion', () => {
  const begun = process.cpuUsage();
  for (const part of ['a', 'а', '\u202e', 'aа', '\u0301', '\u001b[', '\u001b]', 'é']) {
    visiblePieces(part.repeat(200_000 / part.length), 'code');
  }
  const { user, system } = process.cpuUsage(begun);
  expect((user + system) / 1000).toBeLessThan(10_000);
});
