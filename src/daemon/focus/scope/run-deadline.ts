/** Limits how long a focus may run (`run_deadline_seconds`): its running time across crashes, waits and releases. */
import type { Clock } from '../../../core/lifecycle/clock.ts';
import type { FocusControl } from './focus-control.ts';

/** Starts counting at the claim. */
export interface RunDeadline {
  /** How long the focus has already run; nothing may be left. */
  ranBefore(ms: number): void;
  stop(): Promise<void>;
}

/**
 * Aborts the focus with reason `deadline` when its time is over. Orientation, and work that a crash left unrecorded, count only since the
 * current claim.
 */
export function startRunDeadline(seconds: number, control: FocusControl, clock: Clock): RunDeadline {
  const startedMs = clock.monotonicMs();
  const stopped = new AbortController();
  let timer = start(seconds * 1000);
  function start(ms: number) {
    const replaced = new AbortController();
    const signal = AbortSignal.any([stopped.signal, replaced.signal]);
    const over = (async () => {
      await clock.sleep(ms, signal);
      if (!signal.aborted) control.abort('deadline');
    })();
    return { replaced, over };
  }
  return {
    ranBefore(ms) {
      const before = timer;
      before.replaced.abort();
      const spentMs = clock.monotonicMs() - startedMs + ms;
      const next = start(Math.max(0, seconds * 1000 - spentMs));
      timer = { ...next, over: Promise.all([before.over, next.over]).then(() => undefined) };
    },
    async stop() {
      // Not the default reason, an error with a stack trace.
      stopped.abort('stopped');
      await timer.over;
    },
  };
}
