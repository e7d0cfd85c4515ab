import { expect, test } from 'vitest';
import { newFrom, partsOf } from '../../../../../src/console/pages/item/record/sent.ts';

test('texts are shown as they are, and everything else as a value', () => {
  const call = { type: 'tool_call', name: 'bash' };
  expect(partsOf([{ type: 'text', text: 'a' }, { type: 'thinking', text: 'b' }, call])).toEqual(['a', 'b', call]);
  expect(partsOf('alone')).toEqual(['alone']);
  expect(partsOf(null)).toEqual([null]);
});

test('what comes after the last answer is new', () => {
  const kinds = (...all: readonly string[]) => all.map((kind) => ({ kind }));
  expect(newFrom(kinds('orient', 'answer', 'results', 'nudge'))).toBe(2);
  expect(newFrom(kinds('orient'))).toBe(0);
  expect(newFrom([])).toBe(0);
});
