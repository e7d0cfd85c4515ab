/** How many items of a faculty a daemon claims ahead of its free slots when its file does not say: as many as it has just worked off. Pure. */

/** Only foci that began and did their work within this time count. So it is also how long an item waits in the daemon if the pace stays as it is. */
export const PACE_MS = 100;
/** More would save hardly a statement: a claim or an end of a hundred items costs little more per item than one of a thousand. */
const MOST = 200;

export interface Pace {
  /** A focus of the faculty that began at `startedMs` has done its work. */
  worked(faculty: string, startedMs: number, nowMs: number): void;
  /** From 0 to 200. Longer foci give 0: to them the pause for a claim does not matter, and another daemon may have a slot sooner. */
  ahead(faculty: string, nowMs: number): number;
  /** What was claimed ahead has waited in vain. */
  stalled(): void;
}

export function createPace(): Pace {
  /** When those that count began, for each faculty, in about this order. */
  const started = new Map<string, number[]>();

  return {
    worked(faculty, startedMs, nowMs) {
      if (nowMs - startedMs > PACE_MS) return;
      const times = started.get(faculty) ?? [];
      started.set(faculty, times);
      times.push(startedMs);
      if (times.length > MOST) times.shift();
    },
    ahead(faculty, nowMs) {
      const times = started.get(faculty) ?? [];
      while (times.length > 0 && nowMs - times[0]! > PACE_MS) times.shift();
      return times.length;
    },
    stalled() {
      started.clear();
    },
  };
}
