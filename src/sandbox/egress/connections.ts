/** The connections that a relay has accepted, as streams. */
import { Duplex, type Readable, type Writable } from 'node:stream';
import { encodeFrame, FRAME, type Frame, frameReader, MAX_DATA_BYTES, takenFrame, WINDOW_BYTES } from './frames.ts';

/** More at once are refused. The relay keeps to it, too. */
export const MAX_CONNECTIONS = 64;

/**
 * Calls `onConnection` for every connection that the relay opens. When the relay's output ends or is not a sequence of frames, all connections
 * are destroyed and `onLost` is called once.
 */
export function acceptConnections(
  { stdin, stdout }: { readonly stdin: Writable; readonly stdout: Readable },
  onConnection: (connection: Duplex) => void,
  onLost: () => void,
): void {
  const open = new Map<number, RelayedConnection>();
  const read = frameReader();
  let over = false;
  const send = (frame: Buffer): boolean => !over && stdin.write(frame);
  const lose = (): void => {
    if (over) return;
    over = true;
    for (const connection of open.values()) connection.destroy();
    onLost();
  };
  const take = ({ kind, id, data }: Frame): void => {
    const connection = open.get(id);
    if (kind !== FRAME.open) return connection?.accept(kind, data);
    if (connection !== undefined || open.size >= MAX_CONNECTIONS) return void send(encodeFrame(FRAME.reset, id));
    const accepted = new RelayedConnection(id, send, () => open.delete(id));
    open.set(id, accepted);
    onConnection(accepted);
  };
  stdout.on('data', (chunk: Buffer) => {
    if (over) return;
    try {
      for (const frame of read(chunk)) take(frame);
    } catch {
      lose();
    }
  });
  stdout.on('close', lose);
  stdout.on('end', lose);
}

class RelayedConnection extends Duplex {
  readonly #id: number;
  readonly #send: (frame: Buffer) => boolean;
  readonly #forget: () => void;
  /** What we may still send. */
  #granted = WINDOW_BYTES;
  /** What waits to be sent. */
  #waiting: { rest: Buffer; done: () => void } | null = null;
  /** What has come and was not taken yet. */
  #held = 0;

  constructor(id: number, send: (frame: Buffer) => boolean, forget: () => void) {
    super({ allowHalfOpen: true, highWaterMark: WINDOW_BYTES });
    this.#id = id;
    this.#send = send;
    this.#forget = forget;
    // Its user sees its end; a reset must not end the process.
    this.on('error', () => {});
  }

  /** A frame of this connection has come. */
  accept(kind: Frame['kind'], data: Buffer): void {
    if (kind === FRAME.data) this.#receive(data);
    if (kind === FRAME.end) this.push(null);
    if (kind === FRAME.reset) this.destroy();
    if (kind === FRAME.taken && data.length === 4) {
      this.#granted += data.readUInt32BE();
      this.#flush();
    }
  }

  #receive(data: Buffer): void {
    this.#held += data.length;
    // The relay keeps to the window; one that does not is not trusted any further.
    if (this.#held > WINDOW_BYTES) return void this.destroy(new Error('the relay sent more than it may'));
    if (this.push(data)) this.#grant();
  }

  #grant(): void {
    const free = this.#held - this.readableLength;
    if (free <= 0) return;
    this.#held -= free;
    this.#send(takenFrame(this.#id, free));
  }

  override _read(): void {
    this.#grant();
  }

  override _write(chunk: Buffer, _encoding: BufferEncoding, done: () => void): void {
    this.#waiting = { rest: chunk, done };
    this.#flush();
  }

  #flush(): void {
    while (this.#waiting !== null && this.#granted > 0) {
      const { rest, done } = this.#waiting;
      const length = Math.min(rest.length, this.#granted, MAX_DATA_BYTES);
      this.#granted -= length;
      this.#send(encodeFrame(FRAME.data, this.#id, rest.subarray(0, length)));
      this.#waiting = length === rest.length ? null : { rest: rest.subarray(length), done };
      if (this.#waiting === null) done();
    }
  }

  override _final(done: () => void): void {
    this.#send(encodeFrame(FRAME.end, this.#id));
    done();
  }

  override _destroy(error: Error | null, done: (error: Error | null) => void): void {
    this.#forget();
    this.#send(encodeFrame(FRAME.reset, this.#id));
    done(error);
  }
}
