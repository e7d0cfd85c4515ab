/** Values of options and arguments, checked while commander parses them. A bad value is a usage error with exit code 2. */
import { InvalidArgumentError } from 'commander';
import { didYouMean } from '../../core/errors/suggest.ts';
import { WORK_STATES, type WorkState } from '../../core/work/work.ts';

/** A parser for whole numbers within bounds. `of`: what they count, such as `hours`. */
export function wholeNumber(min: number, max: number, of = 'a whole number'): (value: string) => number {
  return (value) => within(/^[+-]?\d+$/, value, min, max, of);
}

/** A parser for numbers within bounds, with decimals or without. */
export function numberWithin(min: number, max: number): (value: string) => number {
  return (value) => within(/^[+-]?\d+(\.\d+)?$/, value, min, max, 'a number');
}

function within(form: RegExp, value: string, min: number, max: number, of: string): number {
  const number = form.test(value) ? Number(value) : Number.NaN;
  if (number >= min && number <= max) return number;
  throw new InvalidArgumentError(`Expected ${of} from ${min} to ${max}.`);
}

/** Parses a state of work. */
export function workState(value: string): WorkState {
  return oneOf(value, WORK_STATES);
}

/** A parser that accepts one of these words. */
export function choice<Value extends string>(values: readonly Value[]): (value: string) => Value {
  return (value) => oneOf(value, values);
}

/** Parses a time: ISO 8601 (`2026-03-01T09:00`, local time without a zone), or an offset from now: `+90s`, `+10m`, `+2h`, `+1d`. */
export function moment(value: string): Date {
  const later = value.startsWith('+') ? spanMs(value.slice(1)) : null;
  const date = later === null ? dateOf(value) : new Date(Date.now() + later);
  if (date !== null) return date;
  throw new InvalidArgumentError('Expected a time such as 2026-03-01T09:00, or +90s, +10m, +2h, +1d.');
}

/** Parses a time that has passed: ISO 8601, or how long ago: `90s`, `10m`, `2h`, `1d`. */
export function pastMoment(value: string): Date {
  const ago = spanMs(value);
  const date = ago === null ? dateOf(value) : new Date(Date.now() - ago);
  if (date !== null) return date;
  throw new InvalidArgumentError('Expected a time such as 2026-03-01T09:00, or how long ago: 90s, 10m, 2h, 1d.');
}

/** Parses a length of time: `90s`, `10m`, `12h`, `7d`. Returns seconds. */
export function timeSpan(value: string): number {
  const ms = spanMs(value);
  if (ms !== null) return ms / 1000;
  throw new InvalidArgumentError('Expected a duration such as 90s, 10m, 12h, 7d.');
}

/** Parses the id of a request, or its last digits, at least four. */
export function askId(value: string): string {
  if (/^[0-9a-f-]{4,36}$/i.test(value)) return value.toLowerCase();
  throw new InvalidArgumentError('Expected the id of a request, as animus inbox shows it.');
}

function dateOf(value: string): Date | null {
  const isIso = /^\d{4}-\d\d-\d\d([T ]\d\d:\d\d(:\d\d(\.\d+)?)?(Z|[+-]\d\d:?\d\d)?)?$/.test(value);
  const date = isIso ? new Date(value) : null;
  return date === null || Number.isNaN(date.getTime()) ? null : date;
}

const UNIT_MS: Readonly<Record<string, number>> = { s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 };

function spanMs(value: string): number | null {
  const [, count, unit = ''] = /^(\d{1,7})([smhd])$/.exec(value) ?? [];
  return count === undefined ? null : Number(count) * UNIT_MS[unit]!;
}

function oneOf<Value extends string>(value: string, values: readonly Value[]): Value {
  const known = values.find((candidate) => candidate === value);
  if (known !== undefined) return known;
  throw new InvalidArgumentError(`Expected one of ${values.join(', ')}${didYouMean(value, values)}.`);
}

/** The values of an option that may be repeated. */
export function collected(value: string, before: readonly string[] = []): readonly string[] {
  return [...before, value];
}
