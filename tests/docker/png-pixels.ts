import { inflateSync } from 'node:zlib';

/** How many pixels of a PNG of a browser have this colour: 8 bits per channel, RGB or RGBA, not interlaced (W3C PNG, third edition). */
export function pixelsOf(png: Buffer, colour: readonly [red: number, green: number, blue: number]): number {
  const [width, height, channels] = [png.readUInt32BE(16), png.readUInt32BE(20), png[25] === 6 ? 4 : 3];
  if (png[24] !== 8 || ![2, 6].includes(png[25]!) || png[28] !== 0) throw new Error('a PNG of another kind');
  const data = inflateSync(Buffer.concat([...chunksOf(png, 'IDAT')]));
  const stride = width * channels;
  let above: Buffer = Buffer.alloc(stride);
  let count = 0;
  for (let y = 0; y < height; y += 1) {
    const at = y * (stride + 1);
    const row = unfiltered(data[at]!, data.subarray(at + 1, at + 1 + stride), above, channels);
    for (let x = 0; x < stride; x += channels) if (colour.every((value, nth) => row[x + nth] === value)) count += 1;
    above = row;
  }
  return count;
}

function* chunksOf(png: Buffer, type: string): Generator<Buffer> {
  for (let at = 8; at < png.length; at += png.readUInt32BE(at) + 12) {
    if (png.toString('latin1', at + 4, at + 8) === type) yield png.subarray(at + 8, at + 8 + png.readUInt32BE(at));
  }
}

/** Section 9.2 of the specification. */
function unfiltered(filter: number, row: Buffer, above: Buffer, channels: number): Buffer {
  const result = Buffer.alloc(row.length);
  for (let x = 0; x < row.length; x += 1) {
    const [left, up, upLeft] = [result[x - channels] ?? 0, above[x]!, above[x - channels] ?? 0];
    const predicted = [0, left, up, (left + up) >> 1, paeth(left, up, upLeft)][filter]!;
    result[x] = row[x]! + predicted;
  }
  return result;
}

function paeth(left: number, up: number, upLeft: number): number {
  const estimate = left + up - upLeft;
  const [a, b, c] = [Math.abs(estimate - left), Math.abs(estimate - up), Math.abs(estimate - upLeft)];
  if (a <= b && a <= c) return left;
  return b <= c ? up : upLeft;
}
