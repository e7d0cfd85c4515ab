/**
 * The one contract of everything long-lived: the database pool, the listener, the supervisor, the control plane.
 * `start` resolves when the service works and rejects when it cannot; `stop` may be called at any time, more than once,
 * also during `start`, and resolves when nothing of the service is left (timers, sockets, processes).
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}

/** Stops services in reverse order of their start; every one is stopped even when another fails, and the failures are thrown together. */
export async function stopAll(services: readonly Pick<Service, 'stop'>[]): Promise<void> {
  const failures: unknown[] = [];
  for (const service of services.toReversed()) {
    try {
      await service.stop();
    } catch (error) {
      failures.push(error);
    }
  }
  if (failures.length === 1) throw failures[0];
  if (failures.length > 1) throw new AggregateError(failures, 'several services failed to stop');
}
