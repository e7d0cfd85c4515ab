import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createFollowers, type Follower } from '../../../src/http/events/followers.ts';

const turn = () => new Promise<void>((resolve) => setImmediate(resolve));

/** Followers that write their number down at each call, and want to be called again as long as `again` says so. */
function listOf(count: number, calls: number[], again: (number: number) => boolean = () => true): readonly Follower[] {
  return Array.from({ length: count }, (_, number) => ({
    changed() {
      calls.push(number);
      return again(number);
    },
  }));
}

test('calls all in the order in which they came, a hundred at once, and others get their turn in between', async () => {
  const calls: number[] = [];
  const followers = createFollowers(systemClock);
  for (const follower of listOf(250, calls)) followers.add(follower);
  followers.call();
  const seen = [calls.length];
  for (let n = 0; n < 3; n++) {
    await turn();
    seen.push(calls.length);
  }
  expect(seen).toEqual([100, 200, 250, 250]);
  expect(calls).toEqual(Array.from({ length: 250 }, (_, number) => number));
});

test('a change while some have not been called yet reaches each of them, and nobody is left out of the next', async () => {
  const calls: number[] = [];
  const followers = createFollowers(systemClock);
  for (const follower of listOf(250, calls)) followers.add(follower);
  followers.call();
  followers.call();
  for (let n = 0; n < 4; n++) await turn();
  // Those who had not been called yet take both changes at their one call, before the first of the others is called again.
  expect(calls).toEqual([...Array.from({ length: 250 }, (_, n) => n), ...Array.from({ length: 100 }, (_, n) => n)]);
  calls.length = 0;
  followers.call();
  for (let n = 0; n < 4; n++) await turn();
  expect(calls.toSorted((a, b) => a - b)).toEqual(Array.from({ length: 250 }, (_, number) => number));
});

test('does not call again who does not want to be, and calls who comes meanwhile only at the next change', async () => {
  const calls: number[] = [];
  const followers = createFollowers(systemClock);
  const [first, second, late] = listOf(3, calls, (number) => number !== 0);
  followers.add({ changed: (nowMs) => (followers.add(late!), first!.changed(nowMs)) });
  followers.add(second!);
  followers.call();
  expect(calls).toEqual([0, 1]);
  followers.call();
  expect(calls).toEqual([0, 1, 2, 1]);
});

test('one look at the clock serves all who are called at once', async () => {
  let looks = 0;
  const clock = { ...systemClock, monotonicMs: () => ++looks };
  const followers = createFollowers(clock);
  const seen: number[] = [];
  for (let n = 0; n < 150; n++) followers.add({ changed: (nowMs) => seen.push(nowMs) > 0 });
  followers.call();
  await turn();
  expect([...new Set(seen)]).toEqual([1, 2]);
});
