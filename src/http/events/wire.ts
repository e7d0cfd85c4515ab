/** Writes the bytes of an event stream to the connection of a response. */
import type { ServerResponse } from 'node:http';
import type { Socket } from 'node:net';
import { type Encoded, encode } from './encoded.ts';
import type { Frame, Sink } from './frame.ts';

/**
 * Sends the head of the response first. Bytes go to the socket itself: a thousand readers share one buffer, and each costs one write of it.
 * `response.write` would make four of it (the length, the bytes, the line ends), and gather them, for each reader.
 *
 * A class, as all objects that a reader has: V8 knows where the fields of its instances are. In object literals with getters it looks up each
 * access, which took 0.7 µs per event and reader.
 */
export class Wire implements Sink {
  readonly #response: ServerResponse;
  readonly #chunked: boolean;
  #socket: Socket | null;
  #closed: boolean;
  #resume: (() => void) | null = null;
  #drained = Promise.resolve();
  #drains = 0;

  constructor(response: ServerResponse) {
    response.flushHeaders();
    this.#response = response;
    this.#chunked = response.chunkedEncoding;
    this.#socket = response.socket;
    this.#closed = response.destroyed;
    response.once('close', () => {
      this.#closed = true;
      this.#resumed();
    });
  }

  /** As `send`. */
  write({ plain, chunk }: Encoded): boolean {
    if (this.#closed) return true;
    const socket = (this.#socket ??= this.#response.socket);
    // A client that sent several requests at once gets the answers in turn: Node keeps this one until then.
    const direct = socket !== null && socket.writableCorked === 0;
    const taken = direct ? socket.write(this.#chunked ? chunk : plain) : this.#response.write(plain);
    if (!taken && this.#resume === null) this.#await(direct ? socket : this.#response);
    return this.#resume === null;
  }

  send(frames: readonly Frame[]): boolean {
    return this.write(encode(frames));
  }

  /** Resolves also when the client is gone. */
  drained(): Promise<void> {
    return this.#drained;
  }

  /** True while the client has not taken what was written. */
  get full(): boolean {
    return this.#resume !== null;
  }

  /** How often it was full and the client took everything. */
  get drains(): number {
    return this.#drains;
  }

  #await(written: Socket | ServerResponse): void {
    const { promise, resolve } = Promise.withResolvers<void>();
    this.#drained = promise;
    this.#resume = resolve;
    written.once('drain', () => this.#resumed());
  }

  #resumed(): void {
    if (this.#resume === null) return;
    const resume = this.#resume;
    this.#resume = null;
    this.#drains++;
    resume();
  }
}
