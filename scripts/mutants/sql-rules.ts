/** What is changed in SQL. Each rule says what it changes at one token. */
import { changedNumber, isWord, MUTANT_WORD } from './constants.ts';
import type { Change } from './mutant.ts';
import type { Token } from './sql-tokens.ts';

export interface SqlPlace {
  readonly source: string;
  readonly tokens: readonly Token[];
  readonly at: number;
}

type SqlRule = (place: SqlPlace) => Change[];

export const SQL_RULES: readonly SqlRule[] = [
  operatorRule,
  notRule,
  constantRule,
  functionRule,
  coalesceRule,
  clauseRule,
  conditionRule,
  statementRule,
  returnRule,
];

const OTHER: Readonly<Record<string, readonly [string, string]>> = {
  '<': ['<=', 'boundary'],
  '<=': ['<', 'boundary'],
  '>': ['>=', 'boundary'],
  '>=': ['>', 'boundary'],
  '=': ['<>', 'equality'],
  '<>': ['=', 'equality'],
  '+': ['-', 'arithmetic'],
  '-': ['+', 'arithmetic'],
  and: ['or', 'and/or'],
  or: ['and', 'and/or'],
  true: ['false', 'constant'],
  false: ['true', 'constant'],
  desc: ['', 'order'],
};

function operatorRule(place: SqlPlace): Change[] {
  const token = tokenAt(place);
  const [other, kind] = OTHER[token.text] ?? [];
  if (other === undefined || kind === undefined || (token.text === 'and' && isBetween(place))) return [];
  return [changeOf(token, token, other, kind, place.source)];
}

/** The `and` of `between … and …`. */
function isBetween({ tokens, at }: SqlPlace): boolean {
  const { depth } = tokens[at]!;
  for (let before = at - 1; before >= 0 && tokens[before]!.depth >= depth; before--) {
    const { text, depth: within } = tokens[before]!;
    if (within > depth) continue;
    if (text === 'between') return true;
    if (['and', 'or', ';', 'where', 'when', 'if', 'on'].includes(text)) return false;
  }
  return false;
}

function notRule(place: SqlPlace): Change[] {
  const token = tokenAt(place);
  if (token.text !== 'not' || next(place)?.text === 'materialized') return [];
  return [changeOf(token, token, '', 'not', place.source)];
}

function constantRule({ source, ...place }: SqlPlace): Change[] {
  const token = tokenAt({ source, ...place });
  if (token.kind === 'number') {
    const changed = changedNumber(Number(token.text));
    return changed === null ? [] : [changeOf(token, token, changed, 'constant', source)];
  }
  const isValue = token.kind === 'text' && isWord(token.text.slice(1, -1)) && next({ source, ...place })?.text !== ':';
  return isValue ? [changeOf(token, token, `'${MUTANT_WORD}'`, 'constant', source)] : [];
}

const OTHER_FUNCTION: Readonly<Record<string, string>> = {
  min: 'max',
  max: 'min',
  least: 'greatest',
  greatest: 'least',
  bool_or: 'bool_and',
  bool_and: 'bool_or',
  floor: 'ceil',
  ceil: 'floor',
  exists: 'not exists',
};

function functionRule(place: SqlPlace): Change[] {
  const token = tokenAt(place);
  const other = Object.hasOwn(OTHER_FUNCTION, token.text) ? OTHER_FUNCTION[token.text] : undefined;
  if (other === undefined || next(place)?.text !== '(' || previous(place)?.text === 'not') return [];
  return [changeOf(token, token, other, 'function', place.source)];
}

/** Either side of a `coalesce` of two. */
function coalesceRule({ source, tokens, at }: SqlPlace): Change[] {
  if (tokens[at]!.text !== 'coalesce' || tokens[at + 1]?.text !== '(') return [];
  const { depth } = tokens[at]!;
  const close = tokens.findIndex((token, index) => index > at && token.text === ')' && token.depth === depth);
  const comma = tokens.findIndex((token, index) => index > at && token.text === ',' && token.depth === depth + 1);
  if (close < 0 || comma < 0 || comma > close) return [];
  const sides = [
    source.slice(tokens[at + 1]!.end, tokens[comma]!.start),
    source.slice(tokens[comma]!.end, tokens[close]!.start),
  ];
  return sides.map((side) => changeOf(tokens[at]!, tokens[close]!, `(${side.trim()})`, 'coalesce', source));
}

/** `limit`, and the locks of rows. */
function clauseRule(place: SqlPlace): Change[] {
  const { source, tokens, at } = place;
  const token = tokenAt(place);
  const removed = (length: number) => [changeOf(token, tokens[at + length - 1]!, '', token.text, source)];
  const following = (...words: readonly string[]) =>
    words.every((word, index) => tokens[at + 1 + index]?.text === word);
  if (token.text === 'limit' && tokens[at + 1]!.text !== '(' && tokens[at + 2]?.text !== '(') return removed(2);
  if (token.text === 'skip' && following('locked')) return removed(2);
  if (token.text === 'for' && (following('update') || following('share'))) return removed(2);
  if (token.text === 'for' && following('no', 'key', 'update')) return removed(4);
  return [];
}

/** The condition of an `if` of PL/pgSQL. */
function conditionRule(place: SqlPlace): Change[] {
  const { source, tokens, at } = place;
  const begins = tokenAt(place).text === 'elsif' || (tokenAt(place).text === 'if' && isStart(place));
  const then = begins ? thenAfter(tokens, at) : -1;
  if (then < 0) return [];
  return ['true', 'false'].map((value) => changeOf(tokens[at + 1]!, tokens[then - 1]!, value, 'condition', source));
}

function thenAfter(tokens: readonly Token[], at: number): number {
  const { depth } = tokens[at]!;
  let cases = 0;
  for (let index = at + 1; index < tokens.length && tokens[index]!.text !== ';'; index++) {
    const { text, depth: within } = tokens[index]!;
    if (within !== depth) continue;
    if (text === 'case') cases += 1;
    else if (text === 'end') cases -= 1;
    else if (text === 'then' && cases === 0) return index;
  }
  return -1;
}

const REMOVABLE = new Set(['perform', 'update', 'insert', 'delete', 'raise', 'continue', 'exit']);

function statementRule(place: SqlPlace): Change[] {
  const { source, tokens, at } = place;
  const token = tokenAt(place);
  const isAssignment = token.kind === 'word' && next(place)?.text === ':=';
  const isQuery = token.text === 'return' && next(place)?.text === 'query';
  if (!isStart(place) || !(REMOVABLE.has(token.text) || isAssignment || isQuery)) return [];
  const end = tokens.findIndex(({ text }, index) => index > at && text === ';');
  if (end < 0) return [];
  return [changeOf(token, tokens[end]!, 'null;', 'removed statement', source)];
}

function returnRule(place: SqlPlace): Change[] {
  const { source, tokens, at } = place;
  const follower = next(place)?.text ?? ';';
  if (tokenAt(place).text !== 'return' || !isStart(place) || [';', 'query', 'next', 'null', 'new'].includes(follower))
    return [];
  const end = tokens.findIndex(({ text }, index) => index > at && text === ';');
  return end < 0 ? [] : [changeOf(tokens[at + 1]!, tokens[end - 1]!, 'null', 'returned value', source)];
}

/** Whether a statement of PL/pgSQL begins here. */
function isStart(place: SqlPlace): boolean {
  return [';', 'then', 'else', 'begin', 'loop'].includes(previous(place)?.text ?? '');
}

function tokenAt({ tokens, at }: SqlPlace): Token {
  return tokens[at]!;
}

function next({ tokens, at }: SqlPlace): Token | undefined {
  return tokens[at + 1];
}

function previous({ tokens, at }: SqlPlace): Token | undefined {
  return tokens[at - 1];
}

function changeOf(first: Token, last: Token, replacement: string, operator: string, source: string): Change {
  return { start: first.start, text: source.slice(first.start, last.end), replacement, operator };
}
