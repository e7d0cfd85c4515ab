/** The fields of an act as options of a command. */
import { type Argument, InvalidArgumentError, Option } from 'commander';
import type { Field } from '../../operations/fields.ts';
import { choice, moment, numberWithin, pastMoment, timeSpan, wholeNumber } from './arguments.ts';

/**
 * The flags of an option, its line in the help, and what a terminal has in place of what the field says: another default, or what reads its
 * value.
 */
export type OptionWords = readonly [
  flags: string,
  help: string,
  instead?: string | number | ((value: string, before: never) => unknown),
];

/**
 * The option of a field. A bad value is a usage error; the lengths of texts are left to the database, and JSON is read later. The help says the
 * default if it is a word or a number, unless the line does so itself.
 */
export function fieldOption(field: Field, [flags, help, instead]: OptionWords): Option {
  const option = new Option(flags, help);
  const own = typeof instead === 'function' ? (instead as Parse) : null;
  const other = typeof instead === 'function' ? undefined : instead;
  const value = other ?? (/\bdefault\b/.test(help) ? undefined : shown(field.default));
  if (value !== undefined) option.default(value);
  option.makeOptionMandatory(field.kind !== 'flag' && field.optional !== true && field.default === undefined);
  const parse = own ?? parserOf(field, /<(.+?)>/.exec(flags)?.[1] ?? '');
  return parse === null ? option : option.argParser(parse);
}

function shown(value: unknown): string | number | undefined {
  return typeof value === 'number' || (typeof value === 'string' && value !== '') ? value : undefined;
}

/** Makes an argument take the values of a field. Texts are left to the act, whose errors say more. */
export function parseAs(field: Field, argument: Argument): void {
  const parse = field.kind === 'text' ? null : parserOf(field, '');
  if (parse !== null) argument.argParser(parse);
}

type Parse = (value: string, before: unknown) => unknown;

/** Null: the text as it is, or a flag. `named`: what the value is called in the flags. */
function parserOf(field: Field, named: string): Parse | null {
  switch (field.kind) {
    case 'whole':
      return wholeNumber(field.min, field.max, NOUNS.has(named) ? named : undefined);
    case 'number':
      return numberWithin(field.min, field.max);
    case 'choice':
      return choice(field.words);
    case 'span':
      return (value) => (value === 'never' ? value : timeSpan(value));
    case 'time':
      return field.ahead ? moment : pastMoment;
    case 'text':
      return field.pattern && field.expected !== undefined ? matching(field.pattern, field.expected) : null;
    case 'list':
      return listParser(field.of, named);
    default:
      return null;
  }
}

/** What a number counts, where a message is to say so. */
const NOUNS: ReadonlySet<string> = new Set(['hours']);

/** Words stand with commas between them; of anything else each is given by an option of its own. */
function listParser(of: Field, named: string): Parse {
  if (of.kind === 'choice') return (value) => value.split(',').map((word) => choice(of.words)(word.trim()));
  const parse = parserOf(of, named) ?? ((value: string) => value);
  return (value, before) => [...((before as readonly unknown[] | undefined) ?? []), parse(value, undefined)];
}

function matching(pattern: RegExp, expected: string): Parse {
  return (value) => {
    if (pattern.test(value)) return value;
    throw new InvalidArgumentError(`Expected ${expected}.`);
  };
}
