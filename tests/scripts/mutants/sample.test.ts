import { readFileSync } from 'node:fs';
import { resolve } from 'node:path';
import { expect, test } from 'vitest';
import { allMutants, mutantsAgain } from '../../../scripts/mutants/all-mutants.ts';
import { readEquivalents } from '../../../scripts/mutants/equivalent.ts';
import { keyOf } from '../../../scripts/mutants/mutant.ts';
import { readOptions } from '../../../scripts/mutants/options.ts';
import { jsonLineOf, keysIn, tableOf } from '../../../scripts/mutants/report.ts';
import { sample } from '../../../scripts/mutants/sample.ts';
import type { Result } from '../../../scripts/mutants/verdict.ts';

const ROOT = resolve(import.meta.dirname, '../../..');
const NUMBERS = Array.from({ length: 1000 }, (_, index) => index);

test('a seed chooses the same each time, a smaller count the beginning, another seed others, each at most once', () => {
  const chosen = sample(NUMBERS, 100, 31);
  expect(sample(NUMBERS, 100, 31)).toEqual(chosen);
  expect(sample(NUMBERS, 10, 31)).toEqual(chosen.slice(0, 10));
  expect(sample(NUMBERS, 100, 32)).not.toEqual(chosen);
  expect(new Set(sample(NUMBERS, 2000, 31)).size).toBe(1000);
});

test('options have defaults, and what is not a number is refused', () => {
  expect(readOptions([], 5)).toMatchObject({ count: 30, seed: 5, workers: 2, only: null, whole: false });
  expect(readOptions(['--seed', '7', '--only', 'src/core'], 5)).toMatchObject({ seed: 7, only: 'src/core' });
  expect(() => readOptions(['--count', 'many'], 5)).toThrow('--count is a number, and not many');
  expect(() => readOptions(['--cuont', '1'], 5)).toThrow('--cuont');
});

test('the sources have mutants in both languages, and a report finds them again', () => {
  const core = allMutants(ROOT, 'src/core/text');
  expect(new Set(core.map(({ operator }) => operator)).size).toBeGreaterThan(7);
  const results = core.slice(0, 5).map((mutant): Result => ({ mutant, result: { verdict: 'survived', tests: 1 } }));
  const again = mutantsAgain(core, keysIn(results.map(jsonLineOf).join('')));
  expect(again.map(keyOf)).toEqual([...new Set(results.map(({ mutant }) => keyOf(mutant)))]);
  expect(mutantsAgain(core, [{ ...core[0]!, in: 'gone' }])).toEqual([]);
});

test('the table counts, and the score leaves out what tests could not judge', () => {
  const [mutant] = allMutants(ROOT, 'src/core/text/fence.ts');
  const table = tableOf(
    [
      { mutant: mutant!, result: { verdict: 'killed', by: 'a.test.ts', how: 'x' } },
      { mutant: mutant!, result: { verdict: 'timed out', tests: ['a.test.ts'] } },
      { mutant: mutant!, result: { verdict: 'survived', tests: 3 } },
      { mutant: mutant!, result: { verdict: 'equivalent', why: 'y' } },
      { mutant: mutant!, result: { verdict: 'invalid', why: 'z' } },
    ],
    '--seed 1',
  );
  expect(table).toContain('| survived | 1 |');
  expect(table).toContain('66.7 % of 3 mutants');
  expect(table).toContain(`src/core/text/fence.ts:${mutant!.line}`);
});

test('each equivalent mutant has a reason, and is one of the sources', () => {
  const equivalents = readEquivalents();
  const file = readFileSync(resolve(ROOT, 'scripts/mutants/equivalent.jsonl'), 'utf8');
  const files = new Set(keysIn(file).map((key) => key.file));
  const known = new Set([...files].flatMap((each) => allMutants(ROOT, each)).map(keyOf));
  for (const [key, why] of equivalents) {
    expect(why).toMatch(/^.{20,}\.$/);
    expect(known.has(key), key).toBe(true);
  }
});
