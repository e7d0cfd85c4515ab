/** How long a focus may run, `run_deadline_seconds`: its running time, over crashes, waits and releases. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { FocusControl } from './focus-control.ts';

/** Runs since the claim. */
export interface RunDeadline {
  /** The focus has run for so long before; what is left may be nothing. */
  ranBefore(ms: number): void;
  stop(): Promise<void>;
}

/** Aborts the focus as `deadline` once its time is over. Orientation and what was not recorded before a crash count from the claim on only. */
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
      stopped.abort();
      await timer.over;
    },
  };
}
