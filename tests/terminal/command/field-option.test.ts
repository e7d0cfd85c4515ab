/** Promise: options and arguments say and check what their fields do. */
import { Argument, Command } from 'commander';
import { expect, test } from 'vitest';
import {
  choice,
  type Field,
  flag,
  jsonObject,
  list,
  number,
  optional,
  text,
  whole,
} from '../../../src/operations/fields.ts';
import { fieldOption, type OptionWords, parseAs } from '../../../src/terminal/command/field-option.ts';

test.each<[Field, OptionWords, string]>([
  [whole({ min: 0, max: 9, default: 2 }), ['--coats <n>', 'how many'], 'how many (default: 2)'],
  [choice(['red', 'blue'], { default: 'red' }), ['--colour <word>', 'which'], 'which (default: "red")'],
  [whole({ min: 0, max: 9, default: 2 }), ['--coats <n>', 'how many', 3], 'how many (default: 3)'],
  [number({ min: 0, max: 9, default: 0.5 }), ['--litres <n>', 'default: half a litre'], 'default: half a litre'],
  [text({ default: '' }), ['--label <text>', 'a name'], 'a name'],
  [text({ default: '' }), ['--label <text>', 'a name', ''], 'a name (default: "")'],
  [list(text(), { default: ['a'] }), ['--room <name>', 'each'], 'each'],
  [jsonObject({ default: {} }), ['--params <json>', 'an object'], 'an object'],
  [flag({ default: false }), ['--glossy', 'gloss'], 'gloss'],
])('the help says a default that is a word or a number, unless its line does: %j', (field, words, line) => {
  expect(new Command().createHelp().optionDescription(fieldOption(field, words))).toBe(line);
});

test('an option without a default is needed unless its field is optional', () => {
  const needed = (field: Field) => fieldOption(field, ['--label <text>', 'a name']).mandatory;
  expect([text(), optional(text()), text({ default: 'a' }), flag()].map(needed)).toEqual([true, false, false, false]);
});

test('an argument is checked as its field says, but for texts, which the act checks', () => {
  const parsed = (field: Field, value: string) => {
    const argument = new Argument('<value>');
    parseAs(field, argument);
    return argument.parseArg?.(value, undefined);
  };
  expect(parsed(whole({ min: 1, max: 3 }), '3')).toBe(3);
  expect(() => parsed(whole({ min: 1, max: 3 }), '4')).toThrow('Expected a whole number from 1 to 3.');
  expect(parsed(text({ pattern: /a/, expected: 'an a' }), 'b')).toBeUndefined();
});
