/** The words of a command as the shell will see them, as far as they are known before it runs. */
import type { ArrayValue, CommandArgument, Redirection, Word, WordPart } from 'unbash';
import { UNKNOWN } from '../text/wildcard.ts';
import { WITHIN_WORD } from './options.ts';

/** The text of a word. What the shell will put into it is `UNKNOWN`. */
export function wordText(word: Word): string {
  const text = word.parts === undefined ? word.value : word.parts.map(partText).join('');
  // A tilde becomes a directory.
  return word.text.startsWith('~') ? text.replace(/^~[^/]*/, UNKNOWN) : text;
}

function partText(part: WordPart): string {
  switch (part.type) {
    case 'Literal':
    case 'SingleQuoted':
    case 'AnsiCQuoted':
      return part.value;
    case 'DoubleQuoted':
      return part.parts.map(partText).join('');
    default:
      return UNKNOWN;
  }
}

/** The text of an argument, assignments included. */
export function argumentText(argument: CommandArgument): string {
  if (argument.type === 'Word') return wordText(argument);
  return `${argument.name}${argument.index ? UNKNOWN : ''}${argument.append ? '+' : ''}=${valueText(argument.value)}`;
}

/** The text of a value; that of a list is unknown. */
export function valueText(value: Word | ArrayValue): string {
  return value.type === 'Word' ? wordText(value) : UNKNOWN;
}

/** The text that a redirection gives to standard input; null for a file, which is only read later. */
export function inputText(redirection: Redirection): string | null {
  if (redirection.type === 'HereString') return redirection.target ? wordText(redirection.target) : UNKNOWN;
  if (redirection.type !== 'HereDoc') return null;
  const { body } = redirection;
  return body.parts === undefined ? body.text : body.parts.map(partText).join('');
}

/**
 * The text of an argument as its program will get it: what stays within the word is `WITHIN_WORD`, and what could become several words, or none,
 * is `UNKNOWN`.
 */
export function firmText(argument: CommandArgument): string {
  if (argument.type === 'Assignment') return argumentText(argument).replaceAll(UNKNOWN, WITHIN_WORD);
  const text = argument.parts === undefined ? argument.value : argument.parts.map(firmPart).join('');
  return argument.text.startsWith('~') ? text.replace(/^~[^/]*/, `/${WITHIN_WORD}`) : text;
}

function firmPart(part: WordPart): string {
  switch (part.type) {
    case 'DoubleQuoted':
      // These are as many words as there are values.
      return /\$(@|\{[^}]*[@*])/.test(part.text)
        ? UNKNOWN
        : part.parts.map(partText).join('').replaceAll(UNKNOWN, WITHIN_WORD);
    case 'ProcessSubstitution':
      return `/dev/fd/${WITHIN_WORD}`;
    // Each of the words begins as this one does.
    case 'Glob':
    case 'ExtendedGlob':
    case 'BraceExpansion':
      return WITHIN_WORD;
    default:
      return partText(part);
  }
}
