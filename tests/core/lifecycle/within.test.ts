import { setTimeout as sleep } from 'node:timers/promises';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { expect, test } from 'vitest';
import { within } from '../../../src/core/lifecycle/within.ts';

test('the time limit holds while nobody listens, though memory is collected', async () => {
  setFlagsFromString('--expose-gc');
  const collect = runInNewContext('gc') as () => void;
  const signals = Array.from({ length: 20 }, () => within(100, new AbortController().signal));
  for (let n = 0; n < 10; n++) {
    collect();
    await sleep(30);
  }
  expect(signals.filter(({ aborted }) => aborted)).toHaveLength(20);
});

test('it aborts with any of the others, for their reason', () => {
  const controller = new AbortController();
  const signal = within(60_000, controller.signal, new AbortController().signal);
  controller.abort(new Error('enough'));
  expect(signal.reason).toMatchObject({ message: 'enough' });
  expect(within(60_000, controller.signal).aborted).toBe(true);
});
