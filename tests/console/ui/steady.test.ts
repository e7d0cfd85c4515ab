import { expect, test } from 'vitest';
import { keepOrder } from '../../../src/console/ui/steady.ts';

const rows = (text: string) => text.split(' ').map((row) => ({ key: row.slice(0, 1), is: row }));

test('rows keep their order while somebody is there', () => {
  const { rows: shown, pending } = keepOrder(rows('a1 b1 c1'), rows('d2 c2 a2'), ({ key }) => key);
  expect(shown.map(({ is }) => is)).toEqual(['a2', 'b1', 'c2']);
  expect(pending).toBe(1);
});
