/** Promise: an export that was changed by an editor is read as it was meant, and what is not an export is refused. */
import { expect, test } from 'vitest';
import { parseExport } from '../../../../src/features/conversations/store/parse-export.ts';

const LINE = JSON.stringify({ role: 'user', content: 'hi' });
const MARKDOWN =
  '# t\n\nA conversation with x.\n\n## 1 · user · person:a · 2026-01-01 00:00:00 UTC\n\none\n\n\n## 2 · assistant · faculty:x · 2026-01-01 00:00:01 UTC\n\ntwo\n';
const contents = (text: string) => parseExport(text).map(({ content }) => content);

test('a byte order mark and line ends of Windows change nothing', () => {
  expect(contents(`\ufeff${LINE}\r\n${LINE}\r\n`)).toEqual(['hi', 'hi']);
  expect(contents(MARKDOWN)).toEqual(['one\n', 'two']);
  expect(contents(`\ufeff${MARKDOWN.replaceAll('\n', '\r\n')}`)).toEqual(['one\n', 'two']);
  expect(contents(MARKDOWN.replace('one', 'one\r'))).toEqual(['one\r\n', 'two']);
});

test('words stay where empty lines were removed by hand', () => {
  expect(contents(MARKDOWN.replaceAll(/\n+/g, '\n'))).toEqual(['one', 'two']);
  expect(contents('## 1 · user · person:a · 2026-01-01 00:00:00 UTC')).toEqual(['']);
});

test.each(['hello', '[{"role":"user","content":"x"}]', '42', 'null', '# t\n\nA conversation with x.\n', ' '])(
  'a text without a message is refused: %j',
  (text) => {
    expect(() => parseExport(text)).toThrow(/it contains no messages/);
  },
);
