/** Promise: a computation in a thread ends with its result, or with words for the model, however its thread ends. */
import { expect, test } from 'vitest';
import { inThread } from '../../src/tools/in-thread.ts';

const module = (code: string) =>
  new URL(
    `data:text/javascript,${encodeURIComponent(`import { parentPort, workerData } from 'node:worker_threads'; ${code}`)}`,
  );
const compute = (code: string, timeoutMs = 60_000, signal = new AbortController().signal) =>
  inThread(module(code), 'x', { timeoutMs, signal }, 'do less');

test.each([
  ['parentPort.postMessage(workerData + workerData)', 'xx'],
  ['throw new Error("broken")', { refusal: 'the computation failed (broken); do less' }],
  ['process.exit(3)', { refusal: 'the computation failed (its thread ended with code 3); do less' }],
  ['', { refusal: 'the computation failed (its thread ended with code 0); do less' }],
  [
    'const all = []; for (;;) all.push(new Array(1e5).fill(workerData + all.length))',
    { refusal: expect.stringContaining('memory') },
  ],
])('%s', async (code, result) => {
  const startedMs = performance.now();
  expect(await compute(code)).toEqual(result);
  expect(performance.now() - startedMs).toBeLessThan(20_000);
});

test('one that takes too long, or that a call no longer waits for, is ended', async () => {
  expect(await compute('for (;;);', 400)).toEqual({ refusal: 'not done within 0.2 s; do less' });
  const controller = new AbortController();
  setTimeout(() => controller.abort(new Error('the call is over')), 100);
  await expect(compute('for (;;);', 60_000, controller.signal)).rejects.toThrow('the call is over');
  await expect(compute('', 60_000, AbortSignal.abort(new Error('over before')))).rejects.toThrow('over before');
});
