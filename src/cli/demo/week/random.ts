/** Chance with a seed: the same seed gives the same week. */

export interface Random {
  /** At least 0, below 1. */
  next(): number;
  /** A whole number, both bounds included. */
  between(least: number, most: number): number;
  /** True so often out of 1. */
  chance(share: number): boolean;
  pick<T>(list: readonly T[]): T;
  /** One of the keys, each as often as its weight says. */
  weighted<Key extends string>(weights: Readonly<Record<Key, number>>): Key;
}

/** mulberry32: small, and good enough for stories. */
export function seededRandom(seed: number): Random {
  let state = Math.imul(seed, 0x9e3779b9);
  const next = () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
  const between = (least: number, most: number) => least + Math.floor(next() * (most - least + 1));
  return {
    next,
    between,
    chance: (share) => next() < share,
    pick: (list) => list[between(0, list.length - 1)]!,
    weighted(weights) {
      const entries = Object.entries<number>(weights) as [keyof typeof weights, number][];
      let left = next() * entries.reduce((sum, [, weight]) => sum + weight, 0);
      return (entries.find(([, weight]) => (left -= weight) < 0) ?? entries.at(-1)!)[0];
    },
  };
}
