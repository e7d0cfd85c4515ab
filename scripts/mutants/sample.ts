/** Chooses at random, and for the same seed the same. */

/** `count` of `all`, or all if there are fewer, in random order: that of a smaller count is the beginning of that of a larger one. */
export function sample<T>(all: readonly T[], count: number, seed: number): T[] {
  const random = randomOf(seed);
  const rest = [...all];
  const chosen: T[] = [];
  while (chosen.length < count && rest.length > 0) {
    const at = Math.floor(random() * rest.length);
    chosen.push(rest[at]!);
    rest[at] = rest.at(-1)!;
    rest.pop();
  }
  return chosen;
}

/** Numbers from 0 to below 1 (mulberry32, which is in the public domain). */
function randomOf(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  };
}
