/** Tab: completes a word that is being typed. */
import { harmless } from '../../../core/text/harmless.ts';

/** The words that may complete a text. */
export interface Completion {
  /** Where the word begins that is being typed. */
  readonly from: number;
  /** Whole words. One that ends in `/` goes on. */
  readonly words: readonly string[];
}

/** The text to insert; if it is empty, the words to choose from. */
export interface Completed {
  readonly insert: string;
  readonly choices: readonly string[];
}

/** A single word is completed with the space after it; several as far as they are the same. */
export function completeLine(typed: string, { from, words }: Completion): Completed {
  const begun = typed.slice(from);
  const fitting = [...new Set(words)].filter((word) => word.startsWith(begun));
  const [only] = fitting;
  if (only === undefined) return { insert: '', choices: [] };
  if (fitting.length === 1)
    return { insert: `${only}${only.endsWith('/') ? '' : ' '}`.slice(begun.length), choices: [] };
  const insert = sameBeginning(fitting).slice(begun.length);
  return { insert, choices: insert === '' ? fitting : [] };
}

/** By code points, so that none is cut in two. */
function sameBeginning(words: readonly string[]): string {
  return words.reduce((same, word) => {
    const characters = Array.from(word);
    let length = 0;
    for (const [index, character] of Array.from(same).entries()) {
      if (characters[index] !== character) break;
      length += character.length;
    }
    return same.slice(0, length);
  });
}

/** More than anybody reads. */
const MAX_CHOICES = 60;

/** The words to choose from, in one line. */
export function choicesLine(choices: readonly string[]): string {
  const left = choices.length - MAX_CHOICES;
  const shown = choices.slice(0, MAX_CHOICES).map(harmless).join('  ');
  return left > 0 ? `${shown}  … and ${left} more` : shown;
}
