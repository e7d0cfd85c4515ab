/** How often a page reads again what changes all the time: a thousand items that end are one change, and a hidden page reads nothing. */

/** After a pause, the first change is told so soon that it seems to be at once. */
const SOON_MS = 300;
/** Between two times: fifty open pages must not be felt by the daemon. */
const BETWEEN_MS = 4000;

export interface Pace {
  /** Something has changed. */
  changed(): void;
  /** The page may have become visible. */
  look(): void;
  stop(): void;
}

/** Calls `tell` after changes, while `isVisible`. */
export function createPace(tell: () => void, isVisible: () => boolean): Pace {
  let toldMs = Number.NEGATIVE_INFINITY;
  let timer: ReturnType<typeof setTimeout> | null = null;
  let missed = false;
  const due = () => {
    timer = null;
    missed = !isVisible();
    if (missed) return;
    toldMs = performance.now();
    tell();
  };
  const changed = () => {
    timer ??= setTimeout(due, Math.max(SOON_MS, toldMs + BETWEEN_MS - performance.now()));
  };
  return {
    changed,
    look() {
      if (missed && isVisible()) changed();
    },
    stop() {
      if (timer !== null) clearTimeout(timer);
    },
  };
}
