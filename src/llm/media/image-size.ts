/** Reads the size of an image from its header. */

export interface ImageSize {
  /** Pixels. */
  readonly width: number;
  readonly height: number;
}

/** Enough of a file for its header: a JPEG may have a preview and a colour profile before its size. */
const HEADER_BYTES = 256 * 1024;

/** The size of a PNG, JPEG, GIF or WebP in base64; null if its header cannot be read. Only the beginning is decoded. */
export function imageSize(base64: string): ImageSize | null {
  const bytes = Buffer.from(base64.slice(0, Math.ceil(HEADER_BYTES / 3) * 4), 'base64');
  // 30 bytes hold the size in every format but JPEG.
  if (bytes.length < 30) return null;
  const size = sizeOf(bytes);
  return size !== null && size.width > 0 && size.height > 0 ? size : null;
}

function sizeOf(bytes: Buffer): ImageSize | null {
  const ascii = (from: number, to: number) => bytes.toString('latin1', from, to);
  if (ascii(1, 4) === 'PNG') return { width: bytes.readUInt32BE(16), height: bytes.readUInt32BE(20) };
  if (ascii(0, 3) === 'GIF') return { width: bytes.readUInt16LE(6), height: bytes.readUInt16LE(8) };
  if (ascii(0, 4) === 'RIFF') return webpSize(bytes, ascii(12, 16));
  return bytes.readUInt16BE(0) === 0xffd8 ? jpegSize(bytes) : null;
}

/** The three kinds of WebP: lossy, lossless, and extended (RFC 9649). */
function webpSize(bytes: Buffer, kind: string): ImageSize | null {
  switch (kind) {
    case 'VP8 ':
      return { width: bytes.readUInt16LE(26) & 0x3fff, height: bytes.readUInt16LE(28) & 0x3fff };
    case 'VP8L': {
      const packed = bytes.readUInt32LE(21);
      return { width: (packed & 0x3fff) + 1, height: ((packed >>> 14) & 0x3fff) + 1 };
    }
    case 'VP8X':
      return { width: bytes.readUIntLE(24, 3) + 1, height: bytes.readUIntLE(27, 3) + 1 };
    default:
      return null;
  }
}

/** Follows the segments up to the first frame header (SOF), which has the size (ITU-T T.81, B.2). */
function jpegSize(bytes: Buffer): ImageSize | null {
  let at = 2;
  while (at + 9 <= bytes.length) {
    if (bytes[at] !== 0xff) return null;
    const marker = bytes[at + 1]!;
    if (isFrame(marker)) return { width: bytes.readUInt16BE(at + 7), height: bytes.readUInt16BE(at + 5) };
    // A fill byte before a marker, or a marker without a segment; else its length, which includes itself.
    if (marker === 0xff) at += 1;
    else if (marker === 0x01 || (marker >= 0xd0 && marker <= 0xd8)) at += 2;
    else at += 2 + Math.max(2, bytes.readUInt16BE(at + 2));
  }
  return null;
}

/** SOF0 to SOF15 without the tables among them (DHT, JPG, DAC). */
function isFrame(marker: number): boolean {
  return marker >= 0xc0 && marker <= 0xcf && marker !== 0xc4 && marker !== 0xc8 && marker !== 0xcc;
}
