import { expect, test } from 'vitest';
import { z } from 'zod';
import { readStrictToml } from '../../../src/core/toml/strict-toml.ts';

const SCHEMA = z.strictObject({
  name: z.string(),
  count: z.int().default(1),
  table: z.strictObject({ on: z.boolean().default(false), words: z.array(z.string()).default([]) }).prefault({}),
});
const read = (text: string) => readStrictToml('a.toml', text, SCHEMA);
const messages = (text: string) => read(text).problems.map(({ message }) => message);

test('a text without problems, with its defaults and where its keys are', () => {
  const document = read('\uFEFFname = "x"\n[table]\non = true\n');
  expect(document.problems).toEqual([]);
  expect(document.sound).toEqual({ name: 'x', count: 1, table: { on: true, words: [] } });
  expect([document.originOf('table', 'on'), document.originOf('count')]).toEqual(['a.toml:3', null]);
});

test('what is not TOML is one problem, with its line and no excerpt', () => {
  const document = read('name = "x"\ncount = = 2\n');
  expect(document.sound).toBeNull();
  expect(document.problems).toHaveLength(1);
  expect(document.problems[0]?.message).toMatch(/^a\.toml:2: [^\n]+$/);
});

test('of a text with problems, what is valid remains, at any depth', () => {
  const text = 'name = "x"\ncount = "many"\nnmae = 1\n[table]\non = true\nwords = ["a", 1]\nother = 1\n';
  expect(read(text).sound).toEqual({ name: 'x', count: 1, table: { on: true, words: [] } });
  expect(messages(text)).toHaveLength(4);
  expect(read(text).given('count')).toBeUndefined();
  expect([read(text).written('count'), read(text).given('table', 'on')]).toEqual(['many', true]);
});

test('without a key that has no default, nothing is sound', () => {
  expect(read('count = 2').sound).toBeNull();
});

test('all problems of a text are reported at once, with line, key, expectation and the closest key', () => {
  const { problems } = read('name = "x"\n[table]\non = 1\nwrods = []\n');
  expect(problems.map(({ code, line, key }) => [code, line, key])).toEqual([
    ['config.invalid', 3, 'table.on'],
    ['config.unknown_key', 4, 'table.wrods'],
  ]);
  expect(problems[1]!.message).toBe('a.toml:4: table.wrods: unknown key (did you mean words?)');
});
