import { expect, test } from 'vitest';
import { newFrom, partsOf } from '../../../../../src/console/pages/item/record/sent.ts';

test('texts are shown as they are, calls with their tool, and everything else as a value', () => {
  const shown = (content: unknown) => partsOf(content).map(({ tool, text, value }) => [tool, text, value]);
  expect(
    shown([
      { type: 'text', text: 'a' },
      { type: 'thinking', text: 'b' },
      { type: 'tool_call', name: 'bash', input: { command: 'ls' } },
      { type: 'tool_result', name: 'bash', text: 'x', files: [] },
    ]),
  ).toEqual([
    [null, 'a', null],
    [null, 'b', null],
    ['bash', null, { command: 'ls' }],
    ['bash', 'x', null],
  ]);
  const withFile = { type: 'tool_result', name: 'read_file', text: 'x', files: ['a.png'] };
  expect(shown([withFile, { odd: 1 }])).toEqual([
    [null, null, withFile],
    [null, null, { odd: 1 }],
  ]);
  expect(shown('alone')).toEqual([[null, 'alone', null]]);
  expect(shown(null)).toEqual([[null, null, null]]);
});

test('what comes after the last answer is new', () => {
  const kinds = (...all: readonly string[]) => all.map((kind) => ({ kind }));
  expect(newFrom(kinds('orient', 'answer', 'results', 'nudge'))).toBe(2);
  expect(newFrom(kinds('orient'))).toBe(0);
  expect(newFrom([])).toBe(0);
});
