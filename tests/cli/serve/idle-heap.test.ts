import { getHeapStatistics } from 'node:v8';
import { expect, test } from 'vitest';
import { createIdleHeap } from '../../../src/cli/serve/idle-heap.ts';

const MB = 1024 * 1024;

type InMb = readonly [used: number, total: number];

/** What the heap is when it is looked at: at the start, and then at each look. Returns the looks after which all of it was collected; 40 of 60 MB are left each time. */
async function collections(looks: readonly InMb[]): Promise<number[]> {
  const collectedAt: number[] = [];
  let look = 0;
  const finished = Promise.withResolvers<void>();
  const service = createIdleHeap({
    clock: {
      async sleep(_, signal) {
        if (++look < looks.length) return;
        finished.resolve();
        await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      },
    },
    heap() {
      const [used, total] = collectedAt.at(-1) === look ? [40, 60] : looks[look]!;
      return { used: used * MB, total: total * MB };
    },
    collect: () => collectedAt.push(look),
  });
  await service.start();
  await finished.promise;
  await service.stop();
  return collectedAt;
}

test('what a burst of work has left is collected once it is over', async () => {
  expect(
    await collections([
      [40, 100],
      [90, 180],
      [120, 200],
      [121, 200],
      [121, 200],
    ]),
  ).toEqual([3]);
});

test('nothing is collected while something runs, whether it grows or has just been collected by itself', async () => {
  expect(
    await collections([
      [50, 200],
      [120, 200],
      [60, 200],
      [130, 200],
      [70, 200],
    ]),
  ).toEqual([]);
});

test('an idle heap is collected once, and again only when it has grown', async () => {
  expect(
    await collections([
      [60, 120],
      [60, 120],
      [40, 60],
      [41, 107],
      [41, 109],
      [42, 60],
    ]),
  ).toEqual([1, 4]);
});

test('the memory of this process shrinks', async () => {
  let garbage: unknown[] | null = Array.from({ length: 200 }, () => Array(100_000).fill(1.5));
  const full = getHeapStatistics().total_heap_size;
  expect(garbage).toHaveLength(200);
  garbage = null;
  const looked = Promise.withResolvers<void>();
  let looks = 0;
  const service = createIdleHeap({
    clock: {
      async sleep(_, signal) {
        if (++looks < 3) return;
        looked.resolve();
        await new Promise((resolve) => signal!.addEventListener('abort', resolve));
      },
    },
  });
  await service.start();
  await looked.promise;
  await service.stop();
  expect(getHeapStatistics().total_heap_size).toBeLessThan(full - 100 * MB);
});
