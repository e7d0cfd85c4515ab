/** How many items a daemon claims ahead by itself, by a simulated clock. */
import { describe, expect, test } from 'vitest';
import { createPace, PACE_MS } from '../../../src/daemon/control/pace.ts';

/** Slots that always have work, of foci that take `tookMs(n)`. Returns how many items were claimed ahead at the end of each of them. */
function run({ slots, forMs, tookMs }: { slots: number; forMs: number; tookMs: (n: number) => number }) {
  const pace = createPace();
  let n = 0;
  const free = Array.from({ length: slots }, () => ({ sinceMs: 0, untilMs: tookMs(n++) }));
  const ahead: number[] = [];
  for (;;) {
    const next = free.reduce((first, slot) => (slot.untilMs < first.untilMs ? slot : first));
    if (next.untilMs > forMs) return { pace, ahead };
    pace.worked('f', next.sinceMs, next.untilMs);
    ahead.push(pace.ahead('f', next.untilMs));
    Object.assign(next, { sinceMs: next.untilMs, untilMs: next.untilMs + tookMs(n++) });
  }
}

describe('the pace of a faculty', () => {
  test('starts at nothing and follows fast foci at once, up to 200', () => {
    expect(createPace().ahead('f', 0)).toBe(0);
    const { ahead } = run({ slots: 10, forMs: 1000, tookMs: () => 1 });
    expect(ahead.slice(0, 3)).toEqual([1, 2, 3]);
    expect(Math.max(...ahead)).toBe(200);
    expect(ahead.at(-1)).toBe(200);
  });

  test('is what the slots work off within a tenth of a second: items wait no longer than that', () => {
    const { ahead } = run({ slots: 10, forMs: 1000, tookMs: () => 20 });
    // 500 per second; those that have just ended began before.
    expect(Math.max(...ahead)).toBeLessThanOrEqual(60);
    expect(ahead.at(-1)).toBeGreaterThanOrEqual(40);
  });

  test.each([PACE_MS + 1, 1000, 60_000])('is nothing for foci of %i ms, however many slots there are', (tookMs) => {
    const { ahead } = run({ slots: 500, forMs: 10 * tookMs, tookMs: () => tookMs });
    expect(Math.max(...ahead)).toBe(0);
  });

  test('counts of a mix only the short ones', () => {
    // Each fifth focus takes a second: after a while nine of ten slots are taken by such.
    const { ahead } = run({ slots: 10, forMs: 10_000, tookMs: (n) => (n % 5 === 0 ? 1000 : 10) });
    const settled = ahead.slice(ahead.length / 2).toSorted((a, b) => a - b);
    expect(settled[Math.floor(settled.length / 2)]).toBeLessThanOrEqual(20);
  });

  test('is over a tenth of a second after a stall began, and at once when items were given back', () => {
    const { pace, ahead } = run({ slots: 10, forMs: 500, tookMs: () => 5 });
    expect(ahead.at(-1)).toBeGreaterThan(150);
    expect(pace.ahead('f', 500 + PACE_MS + 1)).toBe(0);
    const again = run({ slots: 10, forMs: 500, tookMs: () => 5 }).pace;
    again.stalled();
    expect(again.ahead('f', 500)).toBe(0);
  });

  test('is that of each faculty by itself', () => {
    const pace = createPace();
    pace.worked('fast', 0, 1);
    pace.worked('slow', 0, 5000);
    expect([pace.ahead('fast', 2), pace.ahead('slow', 2), pace.ahead('other', 2)]).toEqual([1, 0, 0]);
  });
});
