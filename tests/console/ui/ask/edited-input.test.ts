import { expect, test } from 'vitest';
import { editedInput } from '../../../../src/console/ui/ask/edited-input.ts';

test('an edited input is an object, and says which fields are new', () => {
  expect(editedInput('{"a": 1}', { a: 1 })).toEqual({ is: 'same' });
  expect(editedInput('{"a": 2, "b": 1}', { a: 1 })).toEqual({ is: 'changed', input: { a: 2, b: 1 }, added: ['b'] });
  expect(editedInput('{"a": 2}', null)).toMatchObject({ is: 'changed', added: ['a'] });
  expect(editedInput('{"a"', {})).toMatchObject({ is: 'invalid' });
  for (const text of ['1', 'null', '[]', '"x"']) expect(editedInput(text, {})).toMatchObject({ is: 'invalid' });
});
