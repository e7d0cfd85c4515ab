/** A connection whose loss is reported by the call that uses it, and never ends the process. */
import { Client, type ClientConfig } from 'pg';

/**
 * A node-postgres client that has a listener for `error` from its first moment to its last. A server may end a connection at any
 * time, also with the very bytes that make it ready; pg-pool takes its own listener away before whoever asked for the connection
 * can attach one, and an `error` that nobody listens to ends a Node process.
 *
 * The error is not lost: after it every further statement of the client fails, and the pool does not hand the client out again.
 */
export class GuardedClient extends Client {
  /** Resolves when the connection has been lost or closed, also while it is being made. */
  readonly gone: Promise<void>;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.gone = new Promise((resolve) => this.on('error', () => resolve()).once('end', () => resolve()));
  }

  /** Closes it gracefully, and forcibly after `patienceMs`, because a broken network may drop everything. Never rejects. */
  async close(patienceMs = 1_000): Promise<void> {
    const timer = setTimeout(() => this.#destroy(), patienceMs);
    await this.end().catch(() => {});
    clearTimeout(timer);
  }

  /** The driver has no public way to close a connection that does not answer; its pool does the same. */
  #destroy(): void {
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}
