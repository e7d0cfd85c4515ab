/**
 * Glob patterns in polynomial time, whatever the pattern: one that comes from a model must not be able to stall the
 * daemon. (Node's own path.matchesGlob took seven minutes for 25 stars on a name of 60 letters.)
 */
import { type Refusal, refuse } from '../refusal.ts';

/** Tells whether a path, relative with `/`, matches. */
export type GlobMatcher = (path: string) => boolean;

const MAX_ALTERNATIVES = 256;

/**
 * Understands `*` and `?` within a name, `**` for any number of directories, `[a-z]`, `[!a-z]` and `{one,two}`; a
 * backslash takes the next character literally. A pattern without `/` matches names at any depth. Hidden files match
 * like all others.
 */
export function compileGlob(pattern: string): GlobMatcher | Refusal {
  const alternatives = expandBraces(pattern);
  if (alternatives === null)
    return refuse(`the pattern has more than ${MAX_ALTERNATIVES} alternatives in braces; use a simpler one`);
  const compiled = alternatives.map((alternative) => {
    const plain = alternative.replace(/^(\.?\/)+/, '');
    return (plain.includes('/') || plain === '**' ? plain : `**/${plain}`)
      .split('/')
      .map((part) => (part === '**' ? part : tokensOf(part)));
  });
  return (path) => {
    const names = path.split('/').map((name) => Array.from(name));
    return compiled.some((parts) => wildcardMatch(parts, names, (part) => part === '**', matchesName));
  };
}

/** One character of a name: any, exactly one, or one of some ranges. */
type Token = '*' | '?' | { readonly ranges: readonly (readonly [string, string])[]; readonly negated: boolean };
type Part = '**' | readonly Token[];

function matchesName(part: Part, name: readonly string[]): boolean {
  if (part === '**') return true;
  return wildcardMatch(part, name, (token) => token === '*', matchesCharacter);
}

function matchesCharacter(token: Token, character: string): boolean {
  if (token === '*' || token === '?') return true;
  return token.ranges.some(([from, to]) => from <= character && character <= to) !== token.negated;
}

/** The classic two-pointer match: on failure only the last star takes one more, so it is at most quadratic. */
function wildcardMatch<P, T>(
  pattern: readonly P[],
  text: readonly T[],
  isStar: (part: P) => boolean,
  fits: (part: P, item: T) => boolean,
): boolean {
  let [p, t, star, taken] = [0, 0, -1, 0];
  while (t < text.length) {
    const part = pattern[p];
    if (part !== undefined && isStar(part)) {
      star = p++;
      taken = t;
    } else if (part !== undefined && fits(part, text[t] as T)) {
      p++;
      t++;
    } else if (star >= 0) {
      p = star + 1;
      t = ++taken;
    } else {
      return false;
    }
  }
  while (p < pattern.length && isStar(pattern[p] as P)) p++;
  return p === pattern.length;
}

function tokensOf(part: string): readonly Token[] {
  const characters = Array.from(part);
  const tokens: Token[] = [];
  for (let i = 0; i < characters.length; i++) {
    const character = characters[i] ?? '';
    const end = character === '[' ? classEnd(characters, i) : -1;
    if (character === '*' || character === '?') tokens.push(character);
    else if (end > 0) {
      tokens.push(classOf(characters.slice(i + 1, end)));
      i = end;
    } else {
      const literal = character === '\\' ? (characters[++i] ?? '\\') : character;
      tokens.push({ ranges: [[literal, literal]], negated: false });
    }
  }
  return tokens;
}

/** Where the class that begins at `start` ends; a `]` that comes first is one of its characters. */
function classEnd(characters: readonly string[], start: number): number {
  const first = characters[start + 1] === '!' || characters[start + 1] === '^' ? start + 2 : start + 1;
  return characters.indexOf(']', first + 1);
}

function classOf(content: readonly string[]): Token {
  const negated = content[0] === '!' || content[0] === '^';
  const members = negated ? content.slice(1) : content;
  const ranges: (readonly [string, string])[] = [];
  for (let i = 0; i < members.length; i++) {
    const from = members[i] ?? '';
    const to = members[i + 1] === '-' ? members[i + 2] : undefined;
    ranges.push([from, to ?? from]);
    if (to !== undefined) i += 2;
  }
  return { ranges, negated };
}

/** All readings of `{a,b}`, nested ones included; null when there are too many. A brace without partner is literal. */
function expandBraces(pattern: string): readonly string[] | null {
  const waiting = [pattern];
  const done: string[] = [];
  while (waiting.length > 0) {
    if (waiting.length + done.length > MAX_ALTERNATIVES) return null;
    const next = waiting.pop() ?? '';
    const brace = innermostBrace(next);
    if (brace === null) done.push(next);
    else for (const choice of brace.choices) waiting.push(next.slice(0, brace.from) + choice + next.slice(brace.to));
  }
  return done;
}

function innermostBrace(pattern: string): { from: number; to: number; choices: readonly string[] } | null {
  const match = /(?<!\\)\{([^{}]*,[^{}]*)(?<!\\)\}/.exec(pattern);
  if (match === null) return null;
  return { from: match.index, to: match.index + match[0].length, choices: (match[1] ?? '').split(',') };
}
