/** The delay of the event loop as metrics; runs only when metrics are exported. */
import { monitorEventLoopDelay } from 'node:perf_hooks';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { createLoop } from '../../core/lifecycle/loop.ts';
import type { Service } from '../../core/lifecycle/service.ts';
import { gauge } from '../../telemetry/metrics.ts';

/** How often the loop is measured. Finer costs processor time while nothing happens. */
const RESOLUTION_MS = 50;
/** Half the interval at which OpenTelemetry exports metrics by default. */
const INTERVAL_MS = 30_000;

/** Sets `daemon.loop.delay` every 30 s, of the 30 s before. */
export function createLoopDelay(clock: Clock): Service {
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  const loop = createLoop(async (stopping) => {
    while (!stopping.aborted) {
      await clock.sleep(INTERVAL_MS, stopping);
      gauge('daemon.loop.delay', seconds(delays.percentile(99)), { quantile: 'p99' });
      gauge('daemon.loop.delay', seconds(delays.max), { quantile: 'max' });
      delays.reset();
    }
  });

  return {
    async start() {
      delays.enable();
      await loop.start();
    },
    async stop() {
      await loop.stop();
      delays.disable();
    },
  };
}

/** The histogram contains the resolution itself. */
function seconds(nanoseconds: number): number {
  return Math.max(0, nanoseconds / 1e9 - RESOLUTION_MS / 1000);
}
