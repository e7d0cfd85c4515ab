import { expect, test } from 'vitest';
import { fitted } from '../../../src/llm/embeddings/text-batches.ts';

test('a text that is longer than the model takes is cut below that, and never to nothing', () => {
  const limits = (tokensOfText: number | null) => ({ texts: 10, tokens: 1000, tokensOfText });
  // Estimated at 3.5 bytes a token: 4 tokens.
  const text = 'x'.repeat(14);
  expect(fitted(text, limits(3))).toBe('x'.repeat(10));
  expect(fitted(text, limits(4))).toBe(text);
  expect(fitted(text, limits(0))).toBe('x');
  expect(fitted('', limits(null))).toBe(' ');
});
