/** Groups texts that say the same thing in similar words. The groups depend on nothing but the texts and their order. */

/** The share of words in common from which on two texts are alike: the cosine of their sets. */
const ALIKE = 0.45;
/** Texts with fewer words in common are alike only if they have no others: anything may share two words. */
const MIN_COMMON = 3;
/** Texts of a group that further texts are compared with: the first one, and others that differ from it. */
const MAX_EXAMPLES = 4;
/** A text that is nearer to a known one adds nothing as an example. */
const SAME = 0.8;
/** Places of words that are looked up for one text, those of the rarest words first. */
const MAX_LOOKS = 1000;
/** Examples that a text is compared with, of those that share the most of these words. */
const MAX_COMPARED = 32;

/** Texts in the order in which they came, in groups. */
export interface Groups {
  /** Adds a text, given by its words (`wordsOf`), and returns its group: the number of texts before the first one of the group. */
  add(words: Uint32Array): number;
}

/** No texts yet. */
export function createGroups(): Groups {
  const examples = createExamples();
  const countOf = new Map<number, number>();
  let texts = 0;

  function add(words: Uint32Array): number {
    const nearest = examples.nearest(words);
    const group = nearest?.group ?? texts;
    texts++;
    const count = countOf.get(group) ?? 0;
    if (count < MAX_EXAMPLES && (nearest === null || nearest.likeness < SAME)) {
      examples.add(words, group);
      countOf.set(group, count + 1);
    }
    return group;
  }

  return { add };
}

/** The examples of all groups, with an index of their words. */
function createExamples() {
  const all: { readonly words: Uint32Array; readonly group: number }[] = [];
  /** By word, the examples that have it. */
  const places = new Map<number, number[]>();
  /** Of each example: the words it shares with the text that is compared, as far as they were looked up. */
  let shared = new Uint8Array(1024);

  function nearest(words: Uint32Array): { readonly group: number; readonly likeness: number } | null {
    const met = candidates(words);
    let most = 0;
    for (const at of met) most = Math.max(most, shared[at]!);
    let best = -1;
    let bestLikeness = 0;
    let compared = 0;
    for (const at of met) {
      const isNear = 2 * shared[at]! >= most;
      shared[at] = 0;
      if (!isNear || compared === MAX_COMPARED) continue;
      compared++;
      const likeness = likenessOf(words, all[at]!.words);
      // Of equals the first one, in whatever order they were met.
      const better = likeness > bestLikeness || (likeness === bestLikeness && at < best);
      if (likeness >= ALIKE && better) [best, bestLikeness] = [at, likeness];
    }
    return best < 0 ? null : { group: all[best]!.group, likeness: bestLikeness };
  }

  /** Examples that share one of the rarer words, in the order of these. */
  function candidates(words: Uint32Array): readonly number[] {
    const lists: (readonly number[])[] = [];
    for (const word of words) lists.push(places.get(word) ?? NOWHERE);
    lists.sort((one, other) => one.length - other.length);
    // Texts that are alike share more words than these (the most frequent ones), so also at least one of the others.
    const needless = Math.max(0, Math.ceil(ALIKE * ALIKE * words.length) - 1);
    const met: number[] = [];
    let left = MAX_LOOKS;
    for (const list of lists.slice(0, lists.length - needless)) {
      // Of a word that is everywhere, the newest places.
      for (let nth = Math.max(0, list.length - left); nth < list.length; nth++) {
        const at = list[nth]!;
        if (shared[at]!++ === 0) met.push(at);
      }
      left -= list.length;
      if (left <= 0) break;
    }
    return met;
  }

  function add(words: Uint32Array, group: number): void {
    const at = all.push({ words, group }) - 1;
    if (at >= shared.length) shared = twice(shared);
    for (const word of words) {
      const list = places.get(word);
      if (list === undefined) places.set(word, [at]);
      else list.push(at);
    }
  }

  return { nearest, add };
}

const NOWHERE: readonly number[] = [];

function twice(bytes: Uint8Array<ArrayBuffer>): Uint8Array<ArrayBuffer> {
  const larger = new Uint8Array(bytes.length * 2);
  larger.set(bytes);
  return larger;
}

/** The cosine of two sets of words, each in ascending order; 0 where they have too few in common. */
function likenessOf(one: Uint32Array, other: Uint32Array): number {
  let common = 0;
  for (let i = 0, j = 0; i < one.length && j < other.length; ) {
    const difference = one[i]! - other[j]!;
    if (difference === 0) common++;
    if (difference <= 0) i++;
    if (difference >= 0) j++;
  }
  const few = common < MIN_COMMON && common < Math.max(one.length, other.length);
  return few || common === 0 ? 0 : common / Math.sqrt(one.length * other.length);
}
