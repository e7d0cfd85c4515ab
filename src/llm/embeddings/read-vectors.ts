import type { Vector } from './embed-result.ts';
import type { EmbeddingsResponse } from './embeddings-api.ts';

/** The largest number of a 32-bit float, which is what a vector is stored as. */
const MAX_FLOAT = 3.4028234663852886e38;

/** The vectors in the order of the texts, or what is wrong with them, for people. */
export function readVectors(
  { vectors: written }: EmbeddingsResponse,
  count: number,
  dimensions: number,
): readonly Vector[] | string {
  if (written.length !== count) return `got ${written.length} vectors for ${count} texts`;
  const vectors: (Vector | undefined)[] = Array.from({ length: count });
  for (const [at, each] of written.entries()) {
    const index = each.index ?? at;
    if (typeof index !== 'number' || !Number.isInteger(index) || index < 0 || index >= count)
      return `vector ${at + 1} has the index ${shown(index)}, of ${count} texts`;
    if (vectors[index]) return `two vectors have the index ${index}`;
    const vector = decode(each.vector, dimensions);
    if (typeof vector === 'string') return `the vector of text ${index + 1} ${vector}`;
    vectors[index] = vector;
  }
  return vectors as Vector[];
}

/** Numbers, or little-endian 32-bit floats in base64; a text says what is wrong. */
function decode(written: unknown, dimensions: number): Vector | string {
  const vector = typeof written === 'string' ? fromBase64(written) : written;
  if (!Array.isArray(vector)) return 'is neither a list of numbers nor base64';
  if (vector.length !== dimensions) return `has ${vector.length} dimensions, expected ${dimensions}`;
  if (!vector.every(isFloat)) return 'has values that are not 32-bit floats';
  // It has no direction, so it is as near to one text as to any other.
  return vector.some((number) => Math.abs(number) > 1e-30) ? vector : 'is zero';
}

function fromBase64(text: string): number[] | null {
  const bytes = Buffer.from(text, 'base64');
  if (bytes.length === 0 || bytes.length % 4 !== 0) return null;
  return Array.from({ length: bytes.length / 4 }, (_, at) => bytes.readFloatLE(at * 4));
}

function isFloat(value: unknown): value is number {
  return typeof value === 'number' && Math.abs(value) <= MAX_FLOAT;
}

function shown(value: unknown): string {
  return (JSON.stringify(value) ?? 'undefined').slice(0, 60);
}
