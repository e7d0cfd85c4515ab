import { expect, test } from 'vitest';
import { readOutcome } from '../../src/engage/verdict/outcome.ts';
import { finishToolCall } from '../../src/llm/wire/tool-input.ts';

// Parsing accepts any depth, but serializing and Postgres do not; without a limit, the focus would fail with an internal error.
test.each([10_000, 1_000_000])('an input nested %i levels deep is invalid, and the model gets an error', (depth) => {
  const json = `{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`;
  const told = { input: {}, invalidInput: expect.stringContaining('nested more than 200 levels deep') };
  expect(finishToolCall({ id: '1', name: 't', json, input: {} }, false)).toMatchObject(told);
  const input = JSON.parse(json) as Record<string, unknown>;
  expect(finishToolCall({ id: '1', name: 't', json: null, input }, false)).toMatchObject(told);
});

test.each([
  ['keys', `{${Array.from({ length: 10_001 }, (_, n) => `"k${n}":0`).join(',')}}`, '10,000 elements'],
  ['values', `{"a":[${'[],'.repeat(9_000)}0],"b":[${'[0],'.repeat(9_000)}0]}`, '20,000 values in all'],
  ['characters', `{"a":"${'x'.repeat(12 * 2 ** 20)}"}`, '12,582,912 bytes'],
])('an input with too many %s is invalid, and the model is told what to do', (_, json, limit) => {
  const told = { input: {}, invalidInput: expect.stringMatching(`${limit}.*; do it in several calls`) };
  expect(finishToolCall({ id: '1', name: 't', json, input: {} }, false)).toMatchObject(told);
  const input = JSON.parse(json) as Record<string, unknown>;
  expect(finishToolCall({ id: '1', name: 't', json: null, input }, false)).toMatchObject(told);
});

test('an input with ordinary nesting is accepted', () => {
  const json = `{"a":${'['.repeat(150)}${']'.repeat(150)}}`;
  expect(finishToolCall({ id: '1', name: 't', json, input: {} }, false)).not.toHaveProperty('invalidInput');
});

test('and so is an outcome', async () => {
  const depth = 10_000;
  expect(await readOutcome(`{"a":${'['.repeat(depth)}${']'.repeat(depth)}}`, {})).toMatchObject({
    kind: 'invalid',
    problems: ['its values are nested more than 200 levels deep'],
  });
});
