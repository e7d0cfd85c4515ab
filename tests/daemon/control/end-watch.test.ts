/** Promise: the daemon says so when the database takes no end any more, and one item alone does not make it unready. */
import { expect, test } from 'vitest';
import { systemClock } from '../../../src/core/lifecycle/clock.ts';
import { createEndWatch } from '../../../src/daemon/control/end-watch.ts';

const STANDING_MS = 60_000;

function watched() {
  let atMs = 0;
  let changes = 0;
  const clock = { ...systemClock, monotonicMs: () => atMs };
  const watch = createEndWatch(clock, STANDING_MS, () => void changes++);
  return { watch, forward: (ms: number) => void (atMs += ms), changes: () => changes };
}

const REFUSED = new Error('not in this month');

test('two items whose ends are refused for a minute, and none that is taken', () => {
  const { watch, forward, changes } = watched();
  watch.refused('a', REFUSED);
  watch.refused('b', REFUSED);
  expect(watch.standing()).toBe('ok');
  forward(STANDING_MS);
  expect(watch.standing()).toBe('no end of work could be recorded for 1 min: not in this month');
  expect(watch.problems()).toEqual([
    'the end of work item a cannot be recorded: not in this month',
    'the end of work item b cannot be recorded: not in this month',
  ]);
  watch.written('c');
  expect(watch.standing()).toBe('ok');
  expect(watch.problems()).toHaveLength(2);
  watch.written('a');
  watch.written('b');
  expect(watch.problems()).toEqual([]);
  expect(changes()).toBe(4);
});

test('one item alone is a problem, and the daemon stays ready', () => {
  const { watch, forward } = watched();
  watch.refused('a', REFUSED);
  forward(2 * STANDING_MS);
  expect(watch.standing()).toBe('ok');
  expect(watch.problems()).toHaveLength(1);
});

test('what was refused long ago is over, and many are counted', () => {
  const { watch, forward } = watched();
  for (let n = 0; n < 25; n++) watch.refused(`item ${n}`, REFUSED);
  expect(watch.problems()).toHaveLength(21);
  expect(watch.problems().at(-1)).toBe('the ends of 5 more work items cannot be recorded');
  forward(6 * STANDING_MS);
  expect(watch.problems()).toEqual([]);
  expect(watch.standing()).toBe('ok');
});
