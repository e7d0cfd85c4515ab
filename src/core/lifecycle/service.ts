/**
 * The one contract of everything long-lived: the database pool, the listener, the supervisor, the control plane.
 * `start` resolves when the service works and rejects when it cannot; `stop` may be called at any time, more than once,
 * also during `start`, and resolves when nothing of the service is left (timers, sockets, processes).
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
