/** Recognizes a command line that is one plain command, about which nothing has to be guessed. */
import { wordSet } from '../../text/word-set.ts';

/** Words that begin something other than a command. */
const RESERVED = wordSet(
  '! [[ ]] { } case coproc do done elif else esac fi for function if in select then time until while',
);

/** Outside quotes, all but what a shell gives no meaning, and stars and the like, which only become names of files. */
const ORDINARY = /^[A-Za-z0-9_@%+=:,./^*?[\]~!#-]$/;

/**
 * The words of a line that is exactly one command and its arguments, without quotes: no operators, redirections, assignments, expansions,
 * escapes, braces, comments, line ends or control characters; outside quotes ASCII only. Null for any other line. Stars and the like in arguments stay as
 * they are: the shell may put names of files in their place.
 */
export function plainCommand(line: string): readonly string[] | null {
  const text = line.replace(/^[ \t]+/, '').replace(/[ \t\n]+$/, '');
  // oxlint-disable-next-line no-control-regex
  if (!text.isWellFormed() || /[\u0000-\u001f\u007f-\u009f]/.test(text.replaceAll('\t', ' '))) return null;
  const words: string[] = [];
  for (let at = 0; at < text.length; ) {
    if (text[at] === ' ' || text[at] === '\t') {
      at++;
      continue;
    }
    const read = readWord(text, at);
    if (read === null) return null;
    words.push(read.word);
    at = read.end;
  }
  const [first] = words;
  return first === undefined || !isName(first) ? null : words;
}

/** A command that is written as it is: no reserved word, assignment, star, tilde or job, and no white space. */
function isName(first: string): boolean {
  return /^[A-Za-z0-9_@+:,./][A-Za-z0-9_@%+:,./-]*$/.test(first) && !RESERVED.has(first);
}

function readWord(text: string, from: number): { readonly word: string; readonly end: number } | null {
  const parts: string[] = [];
  let at = from;
  while (at < text.length && text[at] !== ' ' && text[at] !== '\t') {
    const character = text[at]!;
    if (character === "'" || character === '"') {
      const end = text.indexOf(character, at + 1);
      if (end < 0) return null;
      const quoted = text.slice(at + 1, end);
      // In double quotes these begin an expansion or an escape.
      if (character === '"' && /[$`\\]/.test(quoted)) return null;
      parts.push(quoted);
      at = end + 1;
    } else if (ORDINARY.test(character) && !(character === '#' && at === from)) {
      parts.push(character);
      at++;
    } else return null;
  }
  return { word: parts.join(''), end: at };
}

/** The words as the one text to which patterns are compared. White space within a word is not the space between two: only a star fits it. */
export function commandText(words: readonly string[]): string {
  return words.map((word) => (word === '' ? INNER_SPACE : word.replaceAll(/\s/g, INNER_SPACE))).join(' ');
}

const INNER_SPACE = '\u0001';
