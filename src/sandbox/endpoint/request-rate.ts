/** Bounds how often something may happen: a burst at first, then a fixed number per second. */
export interface RequestRate {
  /** Whether it may happen now; counts it if so. */
  take(): boolean;
}

/** `burst`: at once; `perSecond`: from then on. `nowMs` is a clock that never goes back. */
export function requestRate(
  burst: number,
  perSecond: number,
  nowMs: () => number = () => performance.now(),
): RequestRate {
  let left = burst;
  let at = nowMs();
  return {
    take() {
      const now = nowMs();
      left = Math.min(burst, left + ((now - at) / 1000) * perSecond);
      at = now;
      if (left < 1) return false;
      left--;
      return true;
    },
  };
}
