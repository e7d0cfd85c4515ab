import { expect, test } from 'vitest';
import { mergePatch } from '../../../src/daemon/hooks/merge-patch.ts';

/** The test cases of RFC 7396, appendix A. */
const CASES: readonly (readonly [target: string, patch: string, result: string])[] = [
  ['{"a":"b"}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"b"}', '{"b":"c"}', '{"a":"b","b":"c"}'],
  ['{"a":"b"}', '{"a":null}', '{}'],
  ['{"a":"b","b":"c"}', '{"a":null}', '{"b":"c"}'],
  ['{"a":["b"]}', '{"a":"c"}', '{"a":"c"}'],
  ['{"a":"c"}', '{"a":["b"]}', '{"a":["b"]}'],
  ['{"a":{"b":"c"}}', '{"a":{"b":"d","c":null}}', '{"a":{"b":"d"}}'],
  ['{"a":[{"b":"c"}]}', '{"a":[1]}', '{"a":[1]}'],
  ['["a","b"]', '["c","d"]', '["c","d"]'],
  ['{"a":"b"}', '["c"]', '["c"]'],
  ['{"a":"foo"}', 'null', 'null'],
  ['{"a":"foo"}', '"bar"', '"bar"'],
  ['{"e":null}', '{"a":1}', '{"e":null,"a":1}'],
  ['[1,2]', '{"a":"b","c":null}', '{"a":"b"}'],
  ['{}', '{"a":{"bb":{"ccc":null}}}', '{"a":{"bb":{}}}'],
];

test.each(CASES)('%s patched with %s is %s', (target, patch, result) => {
  expect(JSON.stringify(mergePatch(JSON.parse(target), JSON.parse(patch)))).toBe(result);
});

test('keeps the order of keys, and takes a member named __proto__ for data', () => {
  const target = { b: 1, a: { x: 1 } };
  const merged = mergePatch(target, JSON.parse('{"c":2,"a":{"y":3},"__proto__":{"polluted":true}}'));
  expect(JSON.stringify(merged)).toBe('{"b":1,"a":{"x":1,"y":3},"c":2,"__proto__":{"polluted":true}}');
  expect(({} as { polluted?: boolean }).polluted).toBeUndefined();
  expect((merged as { polluted?: boolean }).polluted).toBeUndefined();
  expect(target).toEqual({ b: 1, a: { x: 1 } });
});
