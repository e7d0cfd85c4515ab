import { expect, test } from 'vitest';
import { stack } from '../../../src/console/ui/stack.ts';

test('each series stands on those before', () => {
  expect(stack([[1, null, 3], [10, 20, null], []])).toEqual([[1, 0, 3], [11, 20, 3], []]);
});
