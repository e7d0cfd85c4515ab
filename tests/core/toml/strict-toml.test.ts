import { expect, test } from 'vitest';
import { count, table, text } from '../../../src/core/toml/fields.ts';
import { readStrictToml } from '../../../src/core/toml/strict-toml.ts';

const schema = table({
  daemon: table({ max_concurrent: count(1, 10).default(4), name: text().optional() }).prefault({}),
});
const read = (toml: string) => readStrictToml('a.toml', toml, schema);

test('a text without problems has its values, defaults, and the lines where they are written', () => {
  const document = read('[daemon]\nname = "one"\n');
  expect(document.problems).toEqual([]);
  expect(document.sound).toEqual({ daemon: { max_concurrent: 4, name: 'one' } });
  expect(document.originOf('daemon', 'name')).toBe('a.toml:2');
  expect(document.originOf('daemon', 'max_concurrent')).toBeNull();
});

test('all problems of a text are reported at once, with line, key, expectation and the closest key', () => {
  const { problems } = read('[daemon]\nmax_concurrent = 11\nnmae = "one"\n');
  expect(problems.map(({ code, line, key }) => [code, line, key])).toEqual([
    ['config.invalid', 2, 'daemon.max_concurrent'],
    ['config.unknown_key', 3, 'daemon.nmae'],
  ]);
  expect(problems[1]!.message).toBe('a.toml:3: daemon.nmae: unknown key (did you mean name?)');
});

test('what is valid stays readable beside what is not', () => {
  const document = read('[daemon]\nmax_concurrent = 11\nname = "one"\n');
  expect(document.sound).toEqual({ daemon: { max_concurrent: 4, name: 'one' } });
  expect(document.written('daemon', 'max_concurrent')).toBe(11);
  expect(document.given('daemon', 'max_concurrent')).toBeUndefined();
  expect(document.given('daemon', 'name')).toBe('one');
});

test('a text that is not TOML has one problem, at its line', () => {
  const { problems, sound } = read('[daemon]\nname = \n');
  expect(sound).toBeNull();
  expect(problems).toMatchObject([{ code: 'config.syntax', line: 2, key: null }]);
});
