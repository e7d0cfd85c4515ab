import { it } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createWake } from '../../../src/core/lifecycle/wake.ts';

const never = new AbortController().signal;

it('a ring without a waiter is not lost, and several rings count as one', async () => {
  const wake = createWake(systemClock);
  wake.ring();
  wake.ring();
  await wake.wait(60_000, never);
  const second = wake.wait(60_000, never);
  wake.ring();
  await second;
});

it('waiting ends after its time, and at once when it is aborted', async () => {
  const wake = createWake(systemClock);
  await wake.wait(1, never);
  const stop = new AbortController();
  const waiting = wake.wait(60_000, stop.signal);
  stop.abort();
  await waiting;
  await wake.wait(60_000, stop.signal);
});
