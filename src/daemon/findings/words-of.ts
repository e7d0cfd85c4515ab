/** The words of a text that say what it is about, as numbers. Pure, and the same for every daemon. */

/** More words make a text no more specific. Up to twice as many where pairs of characters stand for words. */
const MAX_WORDS = 120;
/** Characters of a text that are read. */
const MAX_CHARACTERS = 4000;

/** Words of these scripts are not separated by spaces: pairs of characters stand for them. */
const UNSPACED = /[\p{sc=Han}\p{sc=Hiragana}\p{sc=Katakana}\p{sc=Thai}\p{sc=Lao}\p{sc=Khmer}\p{sc=Myanmar}]/u;
const WORD = /[\p{L}\p{M}\p{N}]+/gu;

/** English words that say nothing about a subject. In other languages all words count. */
const COMMON = new Set(
  (
    'a about after all also always an and any are as at be because been before being but by can cannot could did do does done each either else ' +
    'even ever every for from had has have he her here him his how i if in into is it its just may me might more most much must my never no not ' +
    'now of off on once one only or other our out over own she should since so some still such than that the their them then there these they this ' +
    'those though to too under until up upon us use used uses using very was we were what when where whether which while who why will with ' +
    'without would yet you your file line found finding see'
  ).split(' '),
);

/** The different words of a text in ascending order, each a 32-bit number; inflected English words count as one. Ignores case, width and accents of composition. */
export function wordsOf(text: string): Uint32Array {
  const words = new Set<number>();
  const normal = text.slice(0, MAX_CHARACTERS).normalize('NFKC').toLowerCase();
  for (const [word] of normal.matchAll(WORD)) {
    if (words.size >= MAX_WORDS) break;
    if (UNSPACED.test(word)) {
      for (const pair of pairsOf(word)) words.add(numberOf(pair));
    } else if (!COMMON.has(word)) words.add(numberOf(stem(word)));
  }
  return Uint32Array.from(words).sort();
}

/** Each character with the next one; a single one by itself. */
function pairsOf(word: string): string[] {
  const characters = Array.from(word).slice(0, MAX_WORDS);
  return characters.length === 1 ? characters : characters.slice(1).map((next, at) => characters[at]! + next);
}

/** Cuts the endings of English words: `fails`, `failed` and `failing` are one. */
function stem(word: string): string {
  if (word.length < 5 || !/^[a-z]+$/.test(word)) return word;
  const cut = word.replace(/(?:ings?|ed|es|ly|s|e)$/, '');
  return cut.length < 3 ? word : cut.replace(/([^aeiouls])\1$/, '$1');
}

/** FNV-1a, 32 bits. */
function numberOf(word: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < word.length; at++) hash = Math.imul(hash ^ word.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
