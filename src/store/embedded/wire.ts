/** The few messages of the Postgres wire protocol (version 3) that the front of the embedded database reads and writes itself. */

/** Cuts a byte stream into protocol messages. Chunks are joined only once a message is whole, so a large one costs one copy. */
export class MessageReader {
  #chunks: Buffer[] = [];
  #size = 0;
  readonly #prefix: 0 | 1;
  readonly #maxBytes: number;

  /** `prefix` is 1 for messages with a type byte, 0 for those of the start-up phase. */
  constructor(prefix: 0 | 1, maxBytes: number) {
    this.#prefix = prefix;
    this.#maxBytes = maxBytes;
  }

  push(chunk: Buffer): void {
    this.#chunks.push(chunk);
    this.#size += chunk.length;
  }

  /** The next whole message with its header, or null while it is incomplete. Throws RangeError for a length no client may send. */
  next(): Buffer | null {
    const header = this.#prefix + 4;
    if (this.#size < header) return null;
    const length = this.#head(header).readInt32BE(this.#prefix);
    if (length < 4 || length > this.#maxBytes) throw new RangeError(`invalid message length ${length}`);
    if (this.#size < this.#prefix + length) return null;
    const all = this.#join();
    const message = all.subarray(0, this.#prefix + length);
    const rest = all.subarray(message.length);
    this.#chunks = rest.length > 0 ? [rest] : [];
    this.#size = rest.length;
    return message;
  }

  /** What has been pushed and not been read. */
  rest(): Buffer {
    return this.#join();
  }

  #head(bytes: number): Buffer {
    const first = this.#chunks[0];
    return first && first.length >= bytes ? first : this.#join();
  }

  #join(): Buffer {
    const all = this.#chunks.length === 1 ? (this.#chunks[0] as Buffer) : Buffer.concat(this.#chunks);
    this.#chunks = [all];
    return all;
  }
}

/** A message with a type byte. */
export function message(type: string, ...parts: (Buffer | string)[]): Buffer {
  const body = Buffer.concat(parts.map((part) => (typeof part === 'string' ? Buffer.from(part) : part)));
  const header = Buffer.alloc(5);
  header.write(type, 0, 'latin1');
  header.writeInt32BE(body.length + 4, 1);
  return Buffer.concat([header, body]);
}

/** An ErrorResponse. */
export function errorResponse(severity: 'ERROR' | 'FATAL', sqlState: string, text: string): Buffer {
  return message('E', `S${severity}\0V${severity}\0C${sqlState}\0M${text}\0\0`);
}

/** A simple query. */
export function simpleQuery(sql: string): Buffer {
  return message('Q', `${sql}\0`);
}

/** A start-up message of protocol 3.0. */
export function startupMessage(parameters: Readonly<Record<string, string>>): Buffer {
  const body = Buffer.from(
    `${Object.entries(parameters)
      .map(([key, value]) => `${key}\0${value}\0`)
      .join('')}\0`,
  );
  const header = Buffer.alloc(8);
  header.writeInt32BE(body.length + 8, 0);
  header.writeInt32BE(PROTOCOL_3, 4);
  return Buffer.concat([header, body]);
}

/** A 32-bit big-endian integer. */
export function int32(value: number): Buffer {
  const bytes = Buffer.alloc(4);
  bytes.writeInt32BE(value);
  return bytes;
}

/** Codes in the first message of a connection. */
export const PROTOCOL_3 = 196_608;
export const CANCEL_REQUEST = 80_877_102;
export const SSL_REQUEST = 80_877_103;
export const GSS_REQUEST = 80_877_104;
