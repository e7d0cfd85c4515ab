/** Tells a blocked event loop from one that runs, and from a process that was frozen as a whole. Pure. */

export interface BlockDetector {
  /** Call it every beat. `blockedMs`: how long the loop has been blocked; `endedMs`: how long it was, if it has just started to beat again; else 0. */
  look(nowMs: number): { readonly blockedMs: number; readonly endedMs: number };
}

/** Times are of one monotonic clock. A block begins at the last look that saw a beat. */
export function createBlockDetector(beatMs: number, readBeats: () => number): BlockDetector {
  let beats = readBeats();
  let beatAtMs: number | null = null;
  let lookedAtMs: number | null = null;

  return {
    look(nowMs) {
      const lateMs = lookedAtMs === null ? 0 : nowMs - lookedAtMs - beatMs;
      lookedAtMs = nowMs;
      const now = readBeats();
      beatAtMs ??= nowMs;
      // A thread that looks this late did not run either: that time says nothing about the loop.
      if (lateMs > beatMs) beatAtMs += lateMs;
      if (now === beats) return { blockedMs: nowMs - beatAtMs, endedMs: 0 };
      const wasBlockedMs = nowMs - beatAtMs - beatMs;
      beats = now;
      beatAtMs = nowMs;
      return { blockedMs: 0, endedMs: Math.max(0, wasBlockedMs) };
    },
  };
}
