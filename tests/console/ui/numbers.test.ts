import { expect, test } from 'vitest';
import { bytes, compact } from '../../../src/console/ui/numbers.ts';

test('numbers are short', () => {
  expect([0, 999, 4200, 1_300_000].map(compact)).toEqual(['0', '999', '4.2K', '1.3M']);
  expect([0, 512, 1434, 150_000, 5_242_880].map(bytes)).toEqual(['0 B', '512 B', '1.4 KiB', '146 KiB', '5.0 MiB']);
});
