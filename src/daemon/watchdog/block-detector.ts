/** Tells a loop that stands still from one that beats, and from a process that was frozen as a whole. Pure. */

export interface BlockDetector {
  /** To be called every beat. `blockedMs`: for how long the loop has stood still; `endedMs`: for how long it had, if it beats again; else 0. */
  look(nowMs: number): { readonly blockedMs: number; readonly endedMs: number };
}

/** Times are of one monotonic clock. The loop stands still from the last look on that saw a beat. */
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
      const stoodMs = nowMs - beatAtMs - beatMs;
      beats = now;
      beatAtMs = nowMs;
      return { blockedMs: 0, endedMs: Math.max(0, stoodMs) };
    },
  };
}
