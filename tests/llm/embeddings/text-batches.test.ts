import { expect, test } from 'vitest';
import { fitted } from '../../../src/llm/embeddings/text-batches.ts';

test('a text that is longer than the model takes is cut below that, and never to nothing', () => {
  const limits = (tokensOfText: number | null, tokens: number) => ({ tokensOfText, tokensOf: () => tokens }) as never;
  expect(fitted('x'.repeat(10), limits(3, 4))).toBe('x'.repeat(7));
  expect(fitted('x'.repeat(10), limits(4, 4))).toBe('x'.repeat(10));
  expect(fitted('x'.repeat(10), limits(1, 1000))).toBe('x');
  expect(fitted('', limits(null, 0))).toBe(' ');
});
