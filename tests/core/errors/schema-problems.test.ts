import { expect, test } from 'vitest';
import { z } from 'zod';
import { schemaProblems } from '../../../src/core/errors/schema-problems.ts';

const schema = z.strictObject({ limit: z.coerce.number(), files: z.array(z.object({ name: z.string() })).optional() });
const problemsOf = (value: unknown, placeOf?: (path: string) => string) =>
  schemaProblems(schema.safeParse(value).error!, placeOf);

test('names the place of each problem', () => {
  expect(problemsOf({ limit: 1, files: [{ name: 7 }], fiels: 1 })).toBe(
    'files.0.name: Invalid input: expected string, received number; Unrecognized key: "fiels"',
  );
  expect(problemsOf({ limit: 1, a: 1 }, (path) => path || 'query')).toBe('query: Unrecognized key: "a"');
});

test('does not say that a text in the place of a number was NaN', () => {
  expect(problemsOf({ limit: 'x' })).toBe('limit: expected a number');
});

test('says no more than ten problems', () => {
  const many = Array.from({ length: 12 }, () => ({ name: 7 }));
  expect(problemsOf({ limit: 1, files: many }).split('; ')).toHaveLength(10);
});
