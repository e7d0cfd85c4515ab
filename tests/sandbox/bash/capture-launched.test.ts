import { PassThrough } from 'node:stream';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { expect, onTestFinished, test, vi } from 'vitest';
import { captureLaunched } from '../../../src/sandbox/bash/capture-launched.ts';

test('what a process prints quickly is read slowly, and once it has ended the rest at once', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] });
  onTestFinished(() => void vi.useRealTimers());
  const [stdout, stderr] = [new PassThrough({ highWaterMark: 2 ** 24 }), new PassThrough()];
  const exited = Promise.withResolvers<object>();
  const captured = captureLaunched({ stdout, stderr, exited: exited.promise } as never, 1000);
  stdout.write(Buffer.alloc(9 * 2 ** 20));
  await nextTurn();
  expect(stdout.isPaused()).toBe(true);
  vi.advanceTimersByTime(250);
  expect(stdout.isPaused()).toBe(false);
  stdout.write(Buffer.alloc(9 * 2 ** 20));
  await nextTurn();
  expect(stdout.isPaused()).toBe(true);
  stdout.end('the end');
  stderr.end();
  exited.resolve({ ended: 'exit', exitCode: 0 });
  expect((await captured).stdout.text).toMatch(/the end$/);
});
