/** A service that is one loop. */
import type { Service } from './service.ts';

export interface Loop extends Service {
  /** Aborted by `stop`. */
  readonly stopping: AbortSignal;
}

/** `start` begins `run` and does not wait for it; `stop` aborts the signal and waits for the end of `run`, which must not reject. */
export function createLoop(run: (stopping: AbortSignal) => Promise<unknown>): Loop {
  const controller = new AbortController();
  const stopping = controller.signal;
  let running: Promise<unknown> | null = null;
  return {
    stopping,
    async start() {
      running ??= run(stopping);
    },
    async stop() {
      controller.abort();
      await running;
    },
  };
}
