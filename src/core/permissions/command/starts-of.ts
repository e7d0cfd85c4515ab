/** Where commands begin in the words of one command: at its name and, if it runs others, at words after it. */
import { UNKNOWN } from '../text/wildcard.ts';
import { ADDS_WORDS, FIND_ACTIONS, programName, READS_COMMANDS, RUNS_TEXT, RUNS_WORDS, SHELLS } from './runners.ts';

/** The commands in one list of words. */
export interface Starts {
  /** The words of each; the first begins with the name of the program, without its directory. */
  readonly starts: readonly (readonly string[])[];
  /** Command lines that it reads from a word or from its input. */
  readonly texts: readonly string[];
  /** Why other commands could run; null if none could. */
  readonly unclear: string | null;
}

/** So many words after `sudo` and the like are looked at. */
const MAX_WORDS = 64;
/** So many beginnings are looked at in one list of words. */
const MAX_STARTS = 500;

/** `input`: the text that is its standard input; null if that is not written in the line. */
export function startsOf(words: readonly string[], input: string | null): Starts {
  const found: Found = { starts: [], texts: [], unclear: null };
  look(found, words, input, 0);
  return found;
}

interface Found {
  readonly starts: (readonly string[])[];
  readonly texts: string[];
  unclear: string | null;
}

/** `inner`: how many commands this one stands in, in the same list of words. */
function look(found: Found, words: readonly string[], input: string | null, inner: number): void {
  const [first = '', ...rest] = words;
  if (found.starts.length > MAX_STARTS || inner > 4) {
    found.unclear ??= 'its commands are nested too deeply';
    return;
  }
  if (first.includes(UNKNOWN)) {
    found.unclear ??= 'the name of a command is only known when it runs';
    return;
  }
  const name = programName(first);
  found.starts.push(words);
  if (name !== first) found.starts.push([name, ...rest]);
  const shorter = withoutOptions(name, rest);
  if (shorter === null) found.unclear ??= `${name} has more than ${MAX_WORDS} options`;
  found.starts.push(...(shorter ?? []));
  if (SHELLS.has(name)) lookAtShell(found, name, rest, input);
  if (words.some((word) => word.startsWith('BASH_FUNC_'))) found.unclear ??= 'it passes a function to a shell';
  if (READS_COMMANDS.has(name)) lookAtReader(found, name, rest, input);
  if (RUNS_TEXT.has(name)) for (const text of textsOf(name, rest)) found.texts.push(text);
  if (name === 'find') lookAtFind(found, rest, input, inner + 1);
  if (RUNS_WORDS.has(name)) lookAtWords(found, name, rest, input, inner + 1);
}

/** `git -C sub push` is a push, too: the name with each word after the options, some of which have a value. Null if there are too many. */
function withoutOptions(name: string, rest: readonly string[]): readonly (readonly string[])[] | null {
  if (!rest[0]?.startsWith('-')) return [];
  const starts: (readonly string[])[] = [];
  for (let at = 1; at < rest.length; at++) {
    if (at > MAX_WORDS) return null;
    if (!rest[at]!.startsWith('-')) starts.push([name, ...rest.slice(at, at + MAX_WORDS)]);
    if (!rest[at]!.startsWith('-') && !rest[at - 1]!.startsWith('-')) break;
  }
  return starts;
}

function lookAtShell(found: Found, name: string, rest: readonly string[], input: string | null): void {
  const options = rest.filter((word) => /^[-+]/.test(word));
  if (options.some((word) => /^-[A-Za-z]*c/.test(word) || word.includes(UNKNOWN) || word === '--command')) {
    const lines = rest.filter((word) => !/^[-+][A-Za-z-]*$/.test(word));
    if (lines.length > MAX_WORDS) found.unclear ??= `${name} has more than ${MAX_WORDS} arguments`;
    for (const line of lines.slice(0, MAX_WORDS)) found.texts.push(line);
    return;
  }
  lookAtReader(found, name, rest, input);
}

/** A file with commands cannot be looked into here; what is on standard input can, if it is written in the line. */
function lookAtReader(found: Found, name: string, rest: readonly string[], input: string | null): void {
  const script = rest.find((word) => !/^[-+]/.test(word));
  const isUnclear = script === undefined || /^\/(dev|proc)\//.test(script) || script.includes(UNKNOWN);
  const fromInput = isUnclear || name === 'at' || rest.includes('-s');
  if (input !== null) found.texts.push(input);
  else if (fromInput && !rest.some((word) => /^(--version|--help|-V)$/.test(word)))
    found.unclear ??= `${name} reads commands that are only known when it runs`;
}

/** `eval` joins its words; of the others, one word is a command line, and it is not known which. */
function textsOf(name: string, rest: readonly string[]): readonly string[] {
  if (name === 'eval') return [rest.join(' ')];
  return textsAmong(rest).slice(0, MAX_WORDS);
}

/** Words that look like command lines, also as the value of an option (`--command=LINE`, `-qcLINE`). */
function textsAmong(words: readonly string[]): readonly string[] {
  return words.flatMap((word) => {
    if (!/\s|[;&|<>()$`]/.test(word) || word.includes(UNKNOWN)) return [];
    if (!/^-|^\w+=/.test(word)) return [word];
    const value = /^[^=\s]*=(.*)$/s.exec(word)?.[1];
    return [
      ...(value === undefined ? [] : [value]),
      ...(/^-[A-Za-z]/.test(word) ? [2, 3, 4].map((at) => word.slice(at)) : []),
    ];
  });
}

/** So many words of an unknown program are looked at. */
const MAX_UNKNOWN = 256;

/** What an unknown program could run of its arguments: each word may begin a command, or be a command line. Null if there are too many. */
export function wordsInside(rest: readonly string[]): Pick<Starts, 'starts' | 'texts'> | null {
  if (rest.length > MAX_UNKNOWN) return null;
  const starts = rest.flatMap((word, at) => {
    const following = rest.slice(at, at + MAX_WORDS);
    const value = /^-[^=\s]*=(.+)$/s.exec(word)?.[1];
    if (value !== undefined) return [[value, ...following.slice(1)]];
    if (word === '' || word.startsWith('-')) return [];
    const name = programName(word);
    return name === word ? [following] : [following, [name, ...following.slice(1)]];
  });
  return { starts, texts: textsAmong(rest) };
}

function lookAtFind(found: Found, rest: readonly string[], input: string | null, inner: number): void {
  for (const [at, word] of rest.entries()) {
    if (!FIND_ACTIONS.has(word)) continue;
    const following = rest.slice(at + 1, at + 1 + MAX_WORDS);
    const end = following.findIndex((other) => other === ';' || other === '+');
    const command = end < 0 ? following : following.slice(0, end);
    if (command.length > 0) look(found, command.map(filled), input, inner);
  }
}

/** Options of `sudo` and the like may have values, so each word may be the beginning. */
function lookAtWords(found: Found, name: string, rest: readonly string[], input: string | null, inner: number): void {
  // It only says where the command is.
  if (name === 'command' && /^-[vV]/.test(rest[0] ?? '')) return;
  if (rest.length > MAX_WORDS) found.unclear ??= `${name} has more than ${MAX_WORDS} arguments`;
  const added = ADDS_WORDS.has(name) ? [UNKNOWN] : [];
  const replaced = replacedBy(name, rest);
  let named = false;
  for (const [at, word] of rest.slice(0, MAX_WORDS).entries()) {
    const isValue = word === replaced && at > 0 && /^-[IJi]$/.test(rest[at - 1]!);
    if (word.startsWith('-') || isValue) continue;
    // `env A=b git`: what is known of an assignment cannot be the name of a command.
    if (/^[A-Za-z_][A-Za-z0-9_]*\+?=/.test(word)) continue;
    // A builtin, which only builtins run; elsewhere a directory.
    if (word === '.' && name !== 'command' && name !== 'builtin') continue;
    const isFilled = replaced !== null && word.includes(replaced);
    if (isFilled && named) continue;
    const words = rest.slice(at, at + MAX_WORDS);
    const filledWords = replaced === null ? words : words.map((each) => each.replaceAll(replaced, UNKNOWN));
    look(found, [...filledWords, ...added], input, inner);
    // All words after a second one that runs others are looked at there.
    if (RUNS_WORDS.has(programName(word)) && replaced === null) return;
    if (!/^[\d.]+[a-z]?$/.test(word)) named = true;
  }
}

function filled(word: string): string {
  return word.replaceAll('{}', UNKNOWN);
}

/** The text that `xargs` and the like replace by what they read; null if they have none. */
function replacedBy(name: string, rest: readonly string[]): string | null {
  if (name !== 'xargs') return ADDS_WORDS.has(name) || name === 'fd' || name === 'fdfind' ? '{}' : null;
  const at = rest.findIndex((word) => /^-[IJ]/.test(word));
  if (at < 0) return '{}';
  const value = rest[at]!.length > 2 ? rest[at]!.slice(2) : rest[at + 1];
  return value === undefined || value === '' || value.includes(UNKNOWN) ? '{}' : value;
}
