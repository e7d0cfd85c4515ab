import { expect, test } from 'vitest';
import { aborted } from '../../../src/core/lifecycle/aborted.ts';
import { createLoop } from '../../../src/core/lifecycle/loop.ts';

test('a loop is begun once, and its end is awaited, however often it is started and stopped', async () => {
  const seen: string[] = [];
  const loop = createLoop(async (stopping) => {
    seen.push('begun');
    await aborted(stopping);
    await Promise.resolve();
    seen.push('ended');
  });
  await loop.start();
  await loop.start();
  expect(seen).toEqual(['begun']);
  await Promise.all([loop.stop(), loop.stop()]);
  expect(seen).toEqual(['begun', 'ended']);
  expect(loop.stopping.aborted).toBe(true);
});

test('a loop that was never started can be stopped', async () => {
  await createLoop(() => Promise.reject(new Error('it runs'))).stop();
});
