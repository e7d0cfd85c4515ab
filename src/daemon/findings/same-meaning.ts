/** Joins topics that mean the same in other words, by their embeddings. */
import { setImmediate as turnOfEventLoop } from 'node:timers/promises';
import type { Vector } from '../../llm/embeddings/embed-result.ts';

/** Cosines of models are not comparable: unrelated texts have 0.1 with one, 0.7 with another. Half of the way from there to 1 is alike, and at least this. */
const AT_LEAST = 0.75;
/** Without enough pairs to know what is usual. */
const UNKNOWN = 0.85;
const ENOUGH = 20;
/** How long to keep other work of the process waiting. */
const SLICE_MS = 8;

/** Returns for each vector the position of the first one that means the same, which may be its own. */
export async function groupByMeaning(vectors: readonly Vector[]): Promise<Int32Array> {
  const unit = vectors.map(normalized);
  const cosines = await allCosines(unit);
  const alike = alikeFrom(cosines, vectors.length);
  const groups = Int32Array.from(vectors, (_, at) => at);
  for (let at = 1; at < unit.length; at++) {
    for (let other = 0; other < at; other++) {
      if (groups[other] !== other || cosines[pairAt(at, other)]! < alike) continue;
      groups[at] = other;
      break;
    }
  }
  return groups;
}

function alikeFrom(cosines: Float32Array, count: number): number {
  if (count < ENOUGH) return UNKNOWN;
  const usual = Math.max(0, cosines.toSorted()[cosines.length >> 1]!);
  return Math.max(AT_LEAST, (1 + usual) / 2);
}

async function allCosines(unit: readonly Float32Array[]): Promise<Float32Array> {
  const cosines = new Float32Array((unit.length * (unit.length - 1)) / 2);
  let sliceEndMs = performance.now() + SLICE_MS;
  for (let at = 1; at < unit.length; at++) {
    for (let other = 0; other < at; other++) cosines[pairAt(at, other)] = product(unit[at]!, unit[other]!);
    if (performance.now() < sliceEndMs) continue;
    await turnOfEventLoop();
    sliceEndMs = performance.now() + SLICE_MS;
  }
  return cosines;
}

function pairAt(later: number, earlier: number): number {
  return (later * (later - 1)) / 2 + earlier;
}

function product(one: Float32Array, other: Float32Array): number {
  let sum = 0;
  for (let at = 0; at < one.length; at++) sum += one[at]! * other[at]!;
  return sum;
}

function normalized(vector: Vector): Float32Array {
  const length = Math.hypot(...vector);
  return Float32Array.from(vector, (value) => value / length);
}
