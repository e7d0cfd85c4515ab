/** How a daemon's foci end when the daemon shuts down. */
import type { Clock } from '../../core/lifecycle/clock.ts';
import type { EndSignals } from '../../core/lifecycle/interrupts.ts';
import type { Log } from '../../telemetry/log.ts';
import type { ControlPlane } from './control-plane.ts';

/**
 * Stops claiming, lets foci finish within the grace time, then releases them at their next turn boundary. An abort stops them at
 * once. Resolves when none runs any more.
 */
export async function endFoci(
  controlPlane: ControlPlane,
  graceSeconds: number,
  signals: EndSignals,
  clock: Clock,
  log: Log,
): Promise<void> {
  const drained = new AbortController();
  const draining = controlPlane.drain().finally(() => drained.abort());
  const foci = controlPlane.running.size;
  if (foci > 0) {
    log.info(
      { foci, grace_seconds: graceSeconds },
      'shutting down: no new claims, running foci may finish; send the signal again to stop them now',
    );
  }
  const stopNow = () => {
    for (const focus of controlPlane.running.values()) focus.control.abort('shutdown');
  };
  if (signals.abort.aborted) stopNow();
  signals.abort.addEventListener('abort', stopNow, { once: true });
  await clock.sleep(graceSeconds * 1000, AbortSignal.any([drained.signal, signals.abort]));
  for (const focus of controlPlane.running.values()) focus.control.drainSoon();
  await draining;
}
