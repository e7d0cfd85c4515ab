import { expect, test } from 'vitest';
import { excessOf } from '../../../src/process/limits/limits.ts';

test.each([
  [300, '300 MiB'],
  [1000, '1000 MiB'],
  [1024, '1 GiB'],
  [1536, '1.5 GiB'],
  [1500, '1500 MiB'],
  [2048, '2 GiB'],
  [10_000, '10000 MiB'],
  [10_240, '10 GiB'],
  [20_500, '20 GiB'],
])('a limit of %i MiB is told as %s', (mib, told) => {
  const limits = { memoryBytes: mib * 2 ** 20, processes: 7 };
  expect(excessOf('memory', limits, true)).toBe(`it used more than ${told} of memory (max_memory_mib)`);
});

test('a limit of processes, and who exceeded it', () => {
  expect(excessOf('processes', { memoryBytes: 1, processes: 7 }, false)).toBe(
    'the commands of this focus together, and this one most, reached the limit of 7 processes and threads (max_processes)',
  );
});
