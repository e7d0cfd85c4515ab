/** The time limits of one exchange: one for the whole, and one for the step it is in. */
export interface Deadlines<Step extends string> {
  /** The exchange enters a step that may take so many milliseconds, from now. 0 and Infinity: no limit. */
  enter(step: Step, ms: number): void;
  /** The time of the step begins again. */
  renew(): void;
  /** Nothing is reported any more. */
  stop(): void;
}

/** How often the limits are looked at, at least. No exchange that ends sooner needs a second timer. */
const LOOK_MS = 500;
/** A timer that is late by more than this was held up by a pause of the process. */
const LATE_MS = 2 * LOOK_MS;
/** How long what waits in the socket may take to be read. */
const CATCH_UP_MS = 50;

/**
 * Starts the time of the whole, and reports once which limit was reached. The limits are times that one timer compares with
 * the clock: a timer for each limit, renewed with each piece of a body, costs more than the parsing of a short answer.
 */
export function startDeadlines<Step extends string>(
  totalMs: number,
  reached: (limit: Step | 'total') => void,
): Deadlines<Step> {
  const startedAt = performance.now();
  const totalAt = timeAfter(startedAt, totalMs);
  let step: Step | 'total' = 'total';
  let stepMs = 0;
  let stepAt = Infinity;
  let lookAt = Infinity;
  let timer: NodeJS.Timeout | undefined;
  let caughtUp = false;

  const lookInTime = (now: number): void => {
    const dueAt = Math.min(totalAt, stepAt);
    if (dueAt === Infinity) return;
    const next = Math.min(dueAt, now + LOOK_MS);
    if (next >= lookAt) return;
    clearTimeout(timer);
    lookAt = next;
    timer = setTimeout(look, Math.ceil(next - now));
  };
  const look = (): void => {
    lookAt = Infinity;
    const now = performance.now();
    const dueAt = Math.min(totalAt, stepAt);
    if (now < dueAt) lookInTime(now);
    // This process was frozen: what has come meanwhile came in time, and it may be an answer that was paid for.
    else if (now - dueAt > LATE_MS && !caughtUp) {
      caughtUp = true;
      timer = setTimeout(look, CATCH_UP_MS);
    } else reached(stepAt <= totalAt ? step : 'total');
  };

  lookInTime(startedAt);
  return {
    enter(entered, ms) {
      const now = performance.now();
      step = entered;
      stepMs = ms;
      stepAt = timeAfter(now, ms);
      lookInTime(now);
    },
    renew() {
      stepAt = timeAfter(performance.now(), stepMs);
    },
    stop() {
      clearTimeout(timer);
    },
  };
}

function timeAfter(now: number, ms: number): number {
  return ms > 0 ? now + ms : Infinity;
}
