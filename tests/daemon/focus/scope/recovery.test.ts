import { describe, expect, it } from 'vitest';
import { releaseDelaySeconds, retryDelaySeconds } from '../../../../src/daemon/focus/scope/recovery.ts';

describe('the delay before another attempt', () => {
  const exponential = { backoff: 'exponential', baseSeconds: 10, maxSeconds: 600 } as const;

  it('doubles up to its maximum', () => {
    const upperEnds = [1, 2, 3, 4, 5, 6, 7, 8].map((failures) => retryDelaySeconds(exponential, failures, 0));
    expect(upperEnds).toEqual([10, 20, 40, 80, 160, 320, 600, 600]);
  });

  it('is random over the whole range, and never zero', () => {
    expect(retryDelaySeconds(exponential, 3, 0.75)).toBe(10);
    expect(retryDelaySeconds(exponential, 3, 1 - Number.EPSILON)).toBeGreaterThan(0);
  });

  it('is always the base for a fixed back-off', () => {
    const fixed = { ...exponential, backoff: 'fixed' } as const;
    expect([1, 5, 50].map((failures) => retryDelaySeconds(fixed, failures, 0.5))).toEqual([10, 10, 10]);
  });

  it('is what the provider asked for, otherwise about half a minute', () => {
    expect(releaseDelaySeconds(2500, 0.9)).toBe(2.5);
    expect(releaseDelaySeconds(null, 0)).toBe(15);
    expect(releaseDelaySeconds(null, 0.5)).toBe(30);
  });
});
