import { describe, expect, test } from 'vitest';
import { layOutInput } from '../../../../src/features/conversations/console/lay-out-input.ts';
import { createLineBuffer } from '../../../../src/features/conversations/console/line-buffer.ts';
import { createLineHistory } from '../../../../src/features/conversations/console/line-history.ts';

/** The text with `|` at the cursor, after these keys. */
function typed(text: string, ...keys: string[]): string {
  const buffer = createLineBuffer();
  buffer.set(text);
  for (const key of keys) {
    const [, ctrl, meta, name] = /^(ctrl-)?(meta-)?(.+)$/.exec(key)!;
    buffer.press({
      name,
      sequence: name!.length === 1 ? name : '',
      ctrl: ctrl !== undefined,
      meta: meta !== undefined,
    });
  }
  return `${buffer.text.slice(0, buffer.cursor)}|${buffer.text.slice(buffer.cursor)}`;
}

describe('keys', () => {
  test.each([
    ['ab', ['left', 'x'], 'ax|b'],
    ['a\u{1f469}\u200d\u{1f4bb}', ['backspace'], 'a|'],
    ['e\u0301e', ['home', 'right'], 'e\u0301|e'],
    ['one two three', ['ctrl-w'], 'one two |'],
    ['one two', ['meta-b', 'ctrl-k'], 'one |'],
    ['one two', ['ctrl-u', 'ctrl-y', 'ctrl-y'], 'one twoone two|'],
    ['one\ntwo', ['up', 'x'], 'onex|\ntwo'],
    ['one\ntwo', ['home', 'backspace'], 'one|two'],
    ['日本\nab', ['up'], '日本|\nab'],
    ['one', ['ctrl-a', 'delete'], '|ne'],
    ['one two', ['ctrl-left', 'x', 'ctrl-right', 'y'], 'one xtwoy|'],
    ['', ['backspace', 'delete', 'left', 'right', 'ctrl-w', 'meta-b', 'ctrl-left', 'meta-d', 'ctrl-k'], '|'],
    ['x', ['escape', 'f5', 'ctrl-q'], 'x|'],
  ])('%j after %j', (text, keys, after) => {
    expect(typed(text, ...keys)).toBe(after);
  });

  test('what is inserted controls nothing, and has a bound', () => {
    const buffer = createLineBuffer();
    buffer.insert('a\r\nb\u001b[2J\u0000\tc');
    expect(buffer.text).toBe('a\nb[2J  c');
    buffer.insert('x'.repeat(1_000_000));
    expect(buffer.text).toHaveLength(200_000);
  });
});

test('the history goes back and forth, and keeps the line that was begun', () => {
  const history = createLineHistory();
  for (const line of ['one', 'two', 'two', ' ']) history.add(line);
  expect([history.before('begun'), history.before('two'), history.before('one')]).toEqual(['two', 'one', null]);
  expect([history.after(), history.after(), history.after()]).toEqual(['two', 'begun', null]);
});

describe('the line on the terminal', () => {
  const layOut = (text: string, cursor: number, height = 5) =>
    layOutInput({ text, cursor }, '> ', { width: 12, height });

  test('wraps, and says where the cursor is', () => {
    expect(layOut('abcdefghijkl', 12)).toEqual({ rows: ['> abcdefghij', '  kl'], row: 1, column: 4 });
    expect(layOut('日本語日本語', 5)).toEqual({ rows: ['> 日本語日本', '  語'], row: 1, column: 2 });
    expect(layOut('a\n', 2)).toEqual({ rows: ['> a', '  '], row: 1, column: 2 });
  });

  test('shows the rows around the cursor of a text that is too long', () => {
    const text = Array.from({ length: 500 }, (_, n) => `line ${n}`).join('\n');
    const { rows, row } = layOut(text, text.indexOf('line 250'));
    expect(rows).toHaveLength(5);
    expect(rows[row]).toBe('  line 250');
  });

  test('shows what would reorder text as an escape', () => {
    expect(layOut('\u202ea', 2).rows).toEqual(['> \\u202ea']);
  });
});
