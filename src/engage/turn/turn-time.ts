/** Measures the time of a turn: in the model and the tools, and in the engine itself. */

export interface TurnTime {
  /** Waits for work outside the engine. Concurrent waits count once. */
  elsewhere<T>(work: Promise<T>): Promise<T>;
  /** Milliseconds since the last call, or the beginning, less those spent elsewhere. */
  takeOverheadMs(): number;
}

export function createTurnTime(nowMs: () => number = () => performance.now()): TurnTime {
  let sinceMs = nowMs();
  let elsewhereMs = 0;
  let open = 0;
  let openedMs = 0;
  return {
    async elsewhere(work) {
      if (open === 0) openedMs = nowMs();
      open += 1;
      try {
        return await work;
      } finally {
        open -= 1;
        if (open === 0) elsewhereMs += nowMs() - openedMs;
      }
    },
    takeOverheadMs() {
      const now = nowMs();
      const overheadMs = now - sinceMs - elsewhereMs;
      sinceMs = now;
      elsewhereMs = 0;
      return overheadMs;
    },
  };
}
