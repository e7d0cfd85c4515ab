/** Splits a text that somebody decides about into what may be shown as it is, and characters that are not what they seem. */
import { S } from '../words/strings.ts';
import { asciiLike, codePoint, hiddenCharacter, scriptOf } from './odd-characters.ts';

/**
 * `code`: commands, paths, names, inputs of tools: every invisible character and every look-alike is odd. `source`: contents of files: the same, but quotes
 * and dashes are what they are. `text`: what people read: joiners of emoji and of scripts that need them stay, and letters of other scripts are letters.
 */
export type TextKind = 'code' | 'source' | 'text';

/** Some characters that are not shown as they are. `like`: they look like others; `hidden`: nobody would see them, or they act on what is around them. */
export interface OddPiece {
  readonly is: 'hidden' | 'like';
  readonly shown: string;
  readonly name: string;
}
export type Piece = string | OddPiece;

/** A run of them is one piece, of which so many are named. */
const NAMED_OF_RUN = 6;

const PLAIN = /^[\x20-\x7e\n\t]*$/;
const ESCAPE =
  // oxlint-disable-next-line no-control-regex
  /\u001b\[[0-?]*[ -/]*[@-~]|\u001b\][^\u0007\u001b\n]{0,2000}(?:\u0007|\u001b\\)?|\u001b[ -/]*[0-~]|\u009b[0-?]*[ -/]*[@-~]/u
    .source;
const HIDDEN =
  /(?:(?![\n\t ])[\p{Cc}\p{Cf}\p{Cs}\p{Co}\p{Zl}\p{Zp}\p{Zs}\p{Default_Ignorable_Code_Point}\u2800])+|\p{M}{4,}|[\u0334-\u0338\u20d2\u20d3\u20d8-\u20dd\u20e5\u20e6\u20ea\u20eb]+/u
    .source;
const WORD = /[\p{L}\p{N}_](?:[\p{L}\p{N}_]|(?![\u0334-\u0338\u20d2-\u20eb\u034f])\p{M}(?!\p{M}{3}))*/u.source;
const TOKENS = new RegExp(`(?<escape>${ESCAPE})|(?<hidden>${HIDDEN})|(?<word>${WORD})|[\\s\\S]`, 'gu');

/** What natural text contains: joiners and direction marks, the selector of emoji, other spaces, and line ends of Windows. */
const NATURAL = /^(?:[\u00a0\u00ad\u2000-\u200a\u202f\u3000]|\u200c|\u200d|\u200e|\u200f|\ufe0e|\ufe0f|\r(?=\n|$))$/u;

/** In order; all of them together are the whole text. */
export function visiblePieces(text: string, kind: TextKind): readonly Piece[] {
  if (PLAIN.test(text)) return text === '' ? [] : [text];
  const pieces: Piece[] = [];
  let plain = '';
  const add = (piece: OddPiece) => {
    if (plain !== '') pieces.push(plain);
    plain = '';
    pieces.push(piece);
  };
  for (const { 0: token, groups } of text.matchAll(TOKENS)) {
    if (groups?.['escape'] !== undefined) add(escapeSequence(token));
    else if (groups?.['hidden'] !== undefined) {
      if (kind === 'text' && NATURAL.test(token)) plain += token;
      else add(hiddenRun(token));
    } else if (kind === 'code' || (kind === 'source' && groups?.['word'] !== undefined)) {
      for (const part of likeParts(token)) {
        if (typeof part === 'string') plain += part;
        else add(part);
      }
    } else plain += token;
  }
  if (plain !== '') pieces.push(plain);
  return pieces;
}

/** Whether something in the text is not what it seems. */
export function hasOdd(text: string, kind: TextKind): boolean {
  return !PLAIN.test(text) && visiblePieces(text, kind).some((piece) => typeof piece !== 'string');
}

/** JSON in ASCII alone: each character as it is recorded. */
export function exactJson(value: unknown, indent?: number): string {
  const json = JSON.stringify(value, null, indent) ?? 'null';
  return json.replace(/[^\n\x20-\x7e]/g, (unit) => `\\u${unit.charCodeAt(0).toString(16).padStart(4, '0')}`);
}

function escapeSequence(token: string): OddPiece {
  const shown = Array.from(token, (character) => (isControl(character) ? hiddenCharacter(character).shown : character));
  return { is: 'hidden', shown: shown.join(''), name: S.visible.escape };
}

function isControl(character: string): boolean {
  return /\p{Cc}/u.test(character);
}

function hiddenRun(token: string): OddPiece {
  const all = Array.from(token, hiddenCharacter);
  const first = all.slice(0, NAMED_OF_RUN);
  const more = all.length - first.length;
  return {
    is: 'hidden',
    shown: first.map(({ shown }) => shown).join(' ') + (more > 0 ? ` +${more}` : ''),
    name: named(
      first.map(({ name }) => name),
      more,
    ),
  };
}

/** Of a word, or of a sign: what looks like ASCII and is not. A word of another script is one; a mixed word, and one of nothing but look-alikes, is not. */
function likeParts(token: string): readonly Piece[] {
  if (PLAIN.test(token)) return [token];
  const characters = Array.from(token);
  const likes = characters.map(asciiLike);
  const mixed = /[a-z]/i.test(token) || characters.every((each, at) => likes[at] !== null || !/\p{L}/u.test(each));
  const parts: Piece[] = [];
  let odd: { readonly is: string; readonly like: string }[] = [];
  let plain = '';
  const endOdd = () => {
    if (odd.length > 0) parts.push(likeRun(odd));
    odd = [];
  };
  for (const [at, character] of characters.entries()) {
    const like = likes[at] ?? null;
    if (like !== null && (mixed || character.normalize('NFKC') !== character)) {
      if (plain !== '') parts.push(plain);
      plain = '';
      odd.push({ is: character, like });
    } else {
      endOdd();
      plain += character;
    }
  }
  endOdd();
  if (plain !== '') parts.push(plain);
  return parts;
}

function likeRun(run: readonly { readonly is: string; readonly like: string }[]): OddPiece {
  const names = run.slice(0, NAMED_OF_RUN).map(({ is, like }) => {
    return S.visible.like(`${codePoint(is.codePointAt(0)!)} (${scriptOf(is) ?? S.visible.sign})`, like);
  });
  return { is: 'like', shown: run.map(({ is }) => is).join(''), name: named(names, run.length - names.length) };
}

function named(names: readonly string[], more: number): string {
  return names.join('; ') + (more > 0 ? `; ${S.visible.moreOdd(more)}` : '');
}
