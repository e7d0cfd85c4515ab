/**
 * The inputs of an act, declared as data: the API makes schemas from it (`field-schema.ts`), and the terminal arguments and options
 * (`src/terminal/command/field-option.ts`), which loads no zod for it.
 */
import type { z } from 'zod';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../core/work/faculty-name.ts';
import type { Schemas } from './schemas.ts';

interface Common<Value> {
  /** For the OpenAPI document. The terminal has words of its own, because a line of help says more and is shorter. */
  readonly description?: string | undefined;
  /** What it is if it is not given. */
  readonly default?: Value | undefined;
}

/** `Value` is what `run` gets. */
export type Field<Value = unknown> = Kind & Given<Value>;

export interface Given<Value> {
  readonly description?: string | undefined;
  readonly default?: unknown;
  readonly optional?: boolean;
  /** Only the terminal has it. Default: HTTP and MCP have it, too. */
  readonly terminalOnly?: boolean;
  /** Never there: it carries the type. */
  readonly value?: Value;
}

type Kind =
  | { readonly kind: 'id' }
  | TextField
  | NumberField
  | { readonly kind: 'flag' }
  | { readonly kind: 'span' }
  | TimeField
  | ChoiceField<string>
  | ListField
  | JsonField
  | { readonly kind: 'other'; readonly schema: (schemas: Schemas) => z.ZodType };

export interface TextField {
  readonly kind: 'text';
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
  /** What the pattern means, after «expected». */
  readonly expected?: string;
}

export interface NumberField {
  readonly kind: 'whole' | 'number';
  readonly min: number;
  readonly max: number;
}

export interface TimeField {
  readonly kind: 'time';
  /** Whether it is one to come: a terminal then also takes `+2h`, otherwise how long ago it was, such as `2h`. */
  readonly ahead: boolean;
}

export interface ChoiceField<Word extends string> {
  readonly kind: 'choice';
  readonly words: readonly Word[];
  /** Of the type in the OpenAPI document. */
  readonly name?: string;
}

export interface ListField {
  readonly kind: 'list';
  readonly of: Field;
  readonly min?: number;
  readonly max?: number;
}

export interface JsonField {
  readonly kind: 'json';
  /** Only an object. */
  readonly object: boolean;
}

/** The fields of an act by their names. */
export type Fields = Readonly<Record<string, Field>>;

/** What `run` gets of such fields. */
export type InputOf<All extends Fields> = {
  readonly [Name in keyof All]: All[Name] extends Field<infer Value> ? Value : never;
};

/** The id of a row. In a terminal it may be cut, where the command has a finder. */
export function id(common: Common<string> = {}): Field<string> {
  return { kind: 'id', ...common };
}

export function text(options: Omit<TextField, 'kind'> & Common<string> = {}): Field<string> {
  return { kind: 'text', ...options };
}

/** The name of a faculty, of one that exists or not. */
export function facultyName(common: Common<string> = {}): Field<string> {
  return { kind: 'text', pattern: FACULTY_NAME, expected: FACULTY_NAME_RULE, ...common };
}

/** A whole number. */
export function whole(options: Omit<NumberField, 'kind'> & Common<number>): Field<number> {
  return { kind: 'whole', ...options };
}

/** A number that need not be whole, such as an amount of money. */
export function number(options: Omit<NumberField, 'kind'> & Common<number>): Field<number> {
  return { kind: 'number', ...options };
}

/** How many rows a list has at most. */
export function limit(): Field<number> {
  return whole({ min: 1, max: 200, default: 50 });
}

export function flag(common: Common<boolean> = {}): Field<boolean> {
  return { kind: 'flag', ...common };
}

/** A time: ISO 8601 with its zone. `ahead`: it is one to come; default false. */
export function time({ ahead = false, ...common }: { readonly ahead?: boolean } & Common<Date> = {}): Field<Date> {
  return { kind: 'time', ahead, ...common };
}

/** A length of time in seconds, or that there is no end; in a terminal such as `12h`, `90d` or `never`. */
export function span(common: Common<number> = {}): Field<number | 'never'> {
  return { kind: 'span', ...common };
}

/** One of some words. `name`: of the type in the OpenAPI document; default: it has none. */
export function choice<const Word extends string>(
  words: readonly Word[],
  options: { readonly name?: string } & Common<NoInfer<Word>> = {},
): ChoiceField<Word> & Given<Word> {
  return { kind: 'choice', words, ...options };
}

/** A list; in a terminal, words with commas between them, or an option that may be repeated. */
export function list<Value>(
  of: Field<Value>,
  options: Omit<ListField, 'kind' | 'of'> & Common<readonly Value[]> = {},
): Field<readonly Value[]> {
  return { kind: 'list', of, ...options };
}

/** Any JSON value that is not too large to be submitted; in a terminal also `@file`. */
export function json(common: Common<unknown> = {}): Field {
  return { kind: 'json', object: false, ...common };
}

/** The same, for an object only. */
export function jsonObject(common: Common<JsonObject> = {}): Field<JsonObject> {
  return { kind: 'json', object: true, ...common };
}

type JsonObject = Readonly<Record<string, unknown>>;

/** What only a schema can say. A terminal has no option of it. */
export function other<Schema extends z.ZodType>(schema: (schemas: Schemas) => Schema): Field<z.output<Schema>> {
  return { kind: 'other', schema };
}

export function optional<Value>(field: Field<Value>): Field<Value | undefined> {
  return { ...field, optional: true };
}

/** What the API does not take. */
export function terminalOnly<Value>(field: Field<Value>): Field<Value | undefined> {
  return { ...optional(field), terminalOnly: true };
}

/** What a terminal need not give, because another field names the row alone. */
export function apiOnly<Value>(field: Field<Value>): Field<Value | undefined> {
  return field;
}
