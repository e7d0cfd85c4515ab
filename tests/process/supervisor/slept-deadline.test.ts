/** A machine that sleeps past a deadline: its monotonic clock stood still, so only the wall clock says that the lease may be over. */
import { expect, onTestFinished, test } from 'vitest';
import { createDeadline, type Deadline } from '../../../src/process/supervisor/deadline.ts';
import { hostMoment } from '../../../src/process/supervisor/supervisor-protocol.ts';

const wall = Date.now;

/** The wall clock is this much ahead from now on. */
function setWall(aheadMs: number): void {
  Date.now = () => wall() + aheadMs;
  onTestFinished(() => {
    Date.now = wall;
  });
}

function begin(inMs: number, graceMs?: number): { readonly deadline: Deadline; readonly passed: Promise<void> } {
  const passed = Promise.withResolvers<void>();
  const deadline = createDeadline(hostMoment(inMs), passed.resolve, graceMs);
  onTestFinished(() => deadline.clear());
  return { deadline, passed: passed.promise };
}

test('a deadline that passed in sleep ends its owner a moment later', async () => {
  const { deadline, passed } = begin(600_000, 50);
  setWall(700_000);
  await passed;
  expect(deadline.hasPassed()).toBe(true);
});

test('a deadline passes on the monotonic clock although the wall clock was set back', async () => {
  const { passed } = begin(50);
  setWall(-3_600_000);
  await passed;
});

test('a wall clock that was set forward and back again ends nothing', () => {
  const { deadline } = begin(600_000, 0);
  setWall(700_000);
  Date.now = wall;
  expect(deadline.hasPassed()).toBe(false);
});
