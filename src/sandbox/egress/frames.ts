/**
 * Many connections over one pair of streams: frames with the number of their connection. Each side may send as much of a connection as the
 * other has granted, so a slow connection holds up no other, and neither side stores more than the window.
 */

/** What a frame does. */
export const FRAME = {
  /** The container has opened a connection. */
  open: 1,
  data: 2,
  /** The sender sends no more. */
  end: 3,
  /** The connection is over for both. */
  reset: 4,
  /** The receiver has taken this many bytes, as a number of four bytes. */
  taken: 5,
} as const;

export type FrameKind = (typeof FRAME)[keyof typeof FRAME];

export interface Frame {
  readonly kind: FrameKind;
  /** The number of the connection; never used again. */
  readonly id: number;
  readonly data: Buffer;
}

/** How much of a connection may be under way in one direction. */
export const WINDOW_BYTES = 256 * 1024;
/** Of the data of one frame. */
export const MAX_DATA_BYTES = 32 * 1024;
/** Kind, connection, length. */
const HEAD_BYTES = 9;
const KINDS: ReadonlySet<number> = new Set(Object.values(FRAME));

/** A frame as bytes. */
export function encodeFrame(kind: FrameKind, id: number, data: Buffer = Buffer.alloc(0)): Buffer {
  const head = Buffer.alloc(HEAD_BYTES);
  head.writeUInt8(kind, 0);
  head.writeUInt32BE(id, 1);
  head.writeUInt32BE(data.length, 5);
  return Buffer.concat([head, data]);
}

/** The frame that grants the sender this many more bytes. */
export function takenFrame(id: number, bytes: number): Buffer {
  const data = Buffer.alloc(4);
  data.writeUInt32BE(bytes);
  return encodeFrame(FRAME.taken, id, data);
}

/** Returns a function that takes bytes as they come and returns the frames that are complete. It throws on an invalid frame. */
export function frameReader(): (chunk: Buffer) => readonly Frame[] {
  let rest: Buffer = Buffer.alloc(0);
  return (chunk) => {
    rest = rest.length === 0 ? chunk : Buffer.concat([rest, chunk]);
    const frames: Frame[] = [];
    while (rest.length >= HEAD_BYTES) {
      const kind = rest.readUInt8(0);
      const length = rest.readUInt32BE(5);
      if (!KINDS.has(kind) || length > MAX_DATA_BYTES) throw new Error('the relay sent an invalid frame');
      if (rest.length < HEAD_BYTES + length) break;
      const data = rest.subarray(HEAD_BYTES, HEAD_BYTES + length);
      frames.push({ kind: kind as FrameKind, id: rest.readUInt32BE(1), data });
      rest = rest.subarray(HEAD_BYTES + length);
    }
    return frames;
  };
}
