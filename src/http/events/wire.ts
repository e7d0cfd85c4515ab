/** Writes the bytes of an event stream to the connection of a response. */
import type { ServerResponse } from 'node:http';
import { type Encoded, encode } from './encoded.ts';
import type { Frame, Sink } from './frame.ts';

/** `drained` resolves also when the client is gone. */
export interface Wire extends Sink {
  /** As `send`. */
  write(bytes: Encoded): boolean;
  /** True while the client has not taken what was written. */
  readonly full: boolean;
  /** How often it was full and the client took everything. */
  readonly drains: number;
}

/**
 * Sends the head of the response first. Bytes go to the socket itself: a thousand readers share one buffer, and each costs one write of it.
 * `response.write` would make four of it (the length, the bytes, the line ends), and gather them, for each reader.
 */
export function openWire(response: ServerResponse): Wire {
  response.flushHeaders();
  let waiting: (() => void) | null = null;
  let drains = 0;
  const resume = () => {
    if (waiting === null) return;
    const resumed = waiting;
    waiting = null;
    drains++;
    resumed();
  };
  let drained = Promise.resolve();
  response.once('close', resume);

  function write({ plain, chunk }: Encoded): boolean {
    if (response.destroyed) return true;
    const { socket } = response;
    // A client that sent several requests at once gets the answers in turn: Node keeps this one until then.
    const direct = socket !== null && socket.writableCorked === 0;
    const taken = direct ? socket.write(response.chunkedEncoding ? chunk : plain) : response.write(plain);
    if (!taken && waiting === null) {
      const { promise, resolve } = Promise.withResolvers<void>();
      drained = promise;
      waiting = resolve;
      (direct ? socket : response).once('drain', resume);
    }
    return waiting === null;
  }

  return {
    write,
    send: (frames: readonly Frame[]) => write(encode(frames)),
    drained: () => drained,
    get full() {
      return waiting !== null;
    },
    get drains() {
      return drains;
    },
  };
}
