/**
 * The contract of everything long-lived: the database pool, the listener, the supervisor, the control plane. `start`
 * resolves when the service is ready and rejects when it cannot start. `stop` may be called at any time, more than once,
 * also during `start`. It resolves when the service has released everything (timers, sockets, processes).
 */
export interface Service {
  start(): Promise<void>;
  stop(): Promise<void>;
}
