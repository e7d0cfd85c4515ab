import { expect, test } from 'vitest';
import { createBlockDetector } from '../../../src/daemon/watchdog/block-detector.ts';

const BEAT_MS = 500;

/** Looks each half a second at a loop that beats, or does not. */
function detector() {
  let beats = 0;
  let nowMs = 1000;
  const { look } = createBlockDetector(BEAT_MS, () => beats);
  const after = (ms: number, beating: boolean) => {
    nowMs += ms;
    if (beating) beats += 1;
    return look(nowMs);
  };
  after(0, true);
  return after;
}

test('a loop that beats is not blocked', () => {
  const after = detector();
  for (let n = 0; n < 10; n++) expect(after(BEAT_MS, true).blockedMs).toBe(0);
});

test('a loop is blocked from its last beat on, and the end of the block is told once', () => {
  const after = detector();
  const seen = Array.from({ length: 6 }, () => after(BEAT_MS, false).blockedMs);
  expect(seen).toEqual([500, 1000, 1500, 2000, 2500, 3000]);
  expect(after(BEAT_MS, true)).toEqual({ blockedMs: 0, endedMs: 3000 });
  expect(after(BEAT_MS, true)).toEqual({ blockedMs: 0, endedMs: 0 });
});

test('a process that was frozen for an hour, or whose machine slept, was not blocked', () => {
  const after = detector();
  expect(after(3_600_000, false).blockedMs).toBeLessThanOrEqual(BEAT_MS);
  expect(after(BEAT_MS, true).endedMs).toBeLessThanOrEqual(2 * BEAT_MS);
});

test('a freeze in the middle of a block does not make it longer', () => {
  const after = detector();
  for (let n = 0; n < 4; n++) after(BEAT_MS, false);
  expect(after(3_600_000, false).blockedMs).toBe(5 * BEAT_MS);
});
