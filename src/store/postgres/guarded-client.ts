/** A connection whose loss is reported to the call that uses it and never crashes the process. */
import { Client, type ClientConfig, DatabaseError } from 'pg';

/**
 * A node-postgres client that always has a listener for `error`. A server can end a connection at any time, even in the same
 * packet that makes it ready. pg-pool removes its own listener before the caller can attach one, and an `error` event
 * without a listener crashes a Node process.
 *
 * The error is not lost: all further statements of the client fail, and the pool does not use the client again.
 */
export class GuardedClient extends Client {
  /** Resolves when the connection has been lost or closed, or could not be made. */
  readonly gone: Promise<void>;
  /** What the server said when it ended the connection, if it did: the driver fails a later statement without it. */
  lostBy: DatabaseError | undefined;

  constructor(config?: string | ClientConfig) {
    super(config);
    this.on('error', (error) => {
      if (error instanceof DatabaseError) this.lostBy ??= error;
    });
    this.gone = new Promise((resolve) => this.on('error', () => resolve()).once('end', () => resolve()));
  }

  /** Connects, or rejects if the client is closed meanwhile: `connect` of the driver never settles then. */
  async connectOrClose(): Promise<void> {
    const closed = this.gone.then(() => {
      throw new Error('the connection was closed before it was ready');
    });
    await Promise.race([this.connect(), closed]);
  }

  /** Closes it gracefully, or forcibly after `patienceMs` (default 1,000), because a broken network may drop everything. Never rejects. */
  async close(patienceMs = 1_000): Promise<void> {
    const timer = setTimeout(() => this.#destroy(), patienceMs);
    await this.end().catch(() => {});
    clearTimeout(timer);
  }

  /** The driver has no public way to close a connection that does not respond. pg-pool does the same. */
  #destroy(): void {
    (this as unknown as { connection: { stream: { destroy(): void } } }).connection.stream.destroy();
  }
}
