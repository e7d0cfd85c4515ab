/** The words of texts, as skills are searched and triggered by them. Pure. */
import { wordSet } from '../../core/text/word-set.ts';

/** A word, or a run of ideographs, which is cut into pairs. */
const WORD = /[\p{L}\p{N}]+/gu;
// oxlint-disable-next-line no-control-regex
const ASCII = /^[\u0000-\u007f]*$/;
const ASCII_WORD = /[a-z0-9]+/g;
const IDEOGRAPHS = /^[\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}]+$/u;

/** The words of a text in their order, in lower case and without accents of compatibility forms. */
export function wordsOf(text: string): string[] {
  // Many times faster.
  if (ASCII.test(text)) return text.toLowerCase().match(ASCII_WORD) ?? [];
  return (text.normalize('NFKC').toLowerCase().match(WORD) ?? []).flatMap(inPairs);
}

function inPairs(word: string): string[] {
  if (!IDEOGRAPHS.test(word)) return [word];
  const characters = Array.from(word);
  if (characters.length < 3) return [word];
  return characters.slice(1).map((character, index) => `${characters[index]!}${character}`);
}

/** Frequent words that say nothing about a task. */
const EMPTY = wordSet(
  'a an and any are as at be been but by can do does for from has have how i if in into is it its me my no not of on or our out please should so than that the their them then there these they this to up us use used using was we what when where which while who will with you your',
);

/** What a word is found by: without a plural or verb ending, so that «tests», «tested» and «testing» find «test». Null for words that say nothing. */
export function stemOf(word: string): string | null {
  if (EMPTY.has(word)) return null;
  for (const ending of ENDINGS) {
    if (word.length >= ending.length + 4 && word.endsWith(ending)) return word.slice(0, -ending.length);
  }
  return word.length > 3 && word.endsWith('s') && !word.endsWith('ss') ? word.slice(0, -1) : word;
}

const ENDINGS = ['ing', 'ed'] as const;
