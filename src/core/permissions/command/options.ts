/** Reads the options of a command by what is known of its program. */
import { remembered } from '../../text/remembered.ts';
import { wordSet } from '../../text/word-set.ts';
import { UNKNOWN } from '../text/wildcard.ts';

/** Options of a program: all others are unknown. */
export interface Options {
  /** Letters without a value. */
  readonly flags?: string;
  /** Letters whose value is the rest of the word, or the next one. */
  readonly values?: string;
  /** Names after `--`, between white space; with `=` at their end those that have a value. They have to be written out. */
  readonly long?: string;
}

/** A part of a word that is only known when it runs and stays within the word, because it is quoted. `UNKNOWN` may also be several words, or none. */
export const WITHIN_WORD = '\u0002';

/**
 * The words that are not options, and where the first of them stands. Null if a word may be an option that is not listed: an option may be made by an
 * expansion. `first`: what follows the first operand has options of its own.
 */
export function operandsOf(
  options: Options,
  words: readonly string[],
  first = false,
): { readonly operands: readonly string[]; readonly start: number } | null {
  const operands: string[] = [];
  let start = words.length;
  for (let at = 0; at < words.length; at++) {
    const word = words[at]!;
    const isEnd = word === '--';
    if (isEnd || word === '-' || (!mayBeOption(word) && !word.includes(UNKNOWN))) {
      const from = isEnd ? at + 1 : at;
      start = Math.min(start, from);
      if (isEnd || first) return { operands: [...operands, ...words.slice(from)], start };
      operands.push(word);
      continue;
    }
    const used = word.startsWith('-') && !word.includes(UNKNOWN) ? optionLength(options, words, at) : 0;
    if (used === 0) return null;
    at += used - 1;
  }
  return { operands, start };
}

function mayBeOption(word: string): boolean {
  return word.startsWith('-') || word.startsWith(WITHIN_WORD);
}

/** How many words the option takes: 1, 2 with its value, 0 if it is not listed. */
function optionLength(
  { flags = '', values = '', long = '' }: Options,
  words: readonly string[],
  at: number,
): 0 | 1 | 2 {
  const word = words[at]!;
  const withValue = (attached: boolean) => {
    if (attached) return 1;
    const next = words[at + 1];
    // What looks like an option could be one, if a glob before it stands for no word.
    return next === undefined || next.includes(UNKNOWN) || next.startsWith('-') ? 0 : 2;
  };
  if (word.startsWith('--')) {
    const [name = ''] = word.slice(2).split('=', 1);
    const known = namesOf(long);
    if (known.has(`${name}=`) && (word.includes('=') || !known.has(name))) return withValue(word.includes('='));
    return known.has(name) && !word.includes('=') ? 1 : 0;
  }
  for (let letter = 1; letter < word.length; letter++) {
    if (values.includes(word[letter]!)) return withValue(letter + 1 < word.length);
    if (!flags.includes(word[letter]!)) return 0;
  }
  return 1;
}

/** Of the table of programs, which is constant. */
const namesOf = remembered(wordSet);
