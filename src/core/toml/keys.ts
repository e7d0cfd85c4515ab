/**
 * Declares the keys of a TOML table: what a key expects (fields.ts), what it is for, and when a change of it takes effect. The pages of the docs
 * and the names and types of settings follow from this.
 */
import { z } from 'zod';
import { fieldsOf } from './fields.ts';

interface Declared {
  readonly about: string;
  readonly live: boolean;
}

const declared = z.registry<Declared>();

declare const LIVE: unique symbol;

/** Marks the type of a key whose changes a running daemon applies at once. */
export interface Live {
  readonly [LIVE]: true;
}

/** A key whose changes take effect at the next start. `about`: what it is for, in Markdown. */
export function key<Field extends z.ZodType>(field: Field, about: string): Field {
  declared.add(field, { about, live: false });
  return field;
}

/** A key whose changes a running daemon applies at once. */
export function liveKey<Field extends z.ZodType>(field: Field, about: string): Field & Live {
  declared.add(field, { about, live: true });
  return field as Field & Live;
}

/** What a key is for; undefined for a field that is not a key. */
export function aboutOf(field: z.core.$ZodType): string | undefined {
  return declared.get(field)?.about;
}

/** Whether a running daemon applies changes of a key at once. */
export function isLiveKey(field: z.core.$ZodType): boolean {
  return declared.get(field)?.live ?? false;
}

/** The keys of a table. */
export type Keys = Readonly<Record<string, z.ZodType>>;

/** `max_concurrent` as TypeScript writes it: `maxConcurrent`. */
export type CamelCase<Key> = Key extends `${infer First}_${infer Rest}`
  ? `${First}${Capitalize<CamelCase<Rest>>}`
  : Key;

/** The settings of a table: its keys in camelCase, null for an optional key that is not written. */
export type Settings<Table extends Keys> = {
  readonly [Key in keyof Table as CamelCase<Key>]: Setting<Table[Key]>;
};

/** The same without the keys that are not written. */
export type GivenSettings<Table extends Keys> = {
  readonly [Key in keyof Table as CamelCase<Key>]?: Exclude<Setting<Table[Key]>, null>;
};

type Setting<Field> =
  Field extends z.ZodOptional<infer Inner>
    ? Setting<Inner> | null
    : Field extends z.ZodDefault<infer Inner> | z.ZodPrefault<infer Inner>
      ? Setting<Inner>
      : Field extends z.ZodObject<infer Shape extends Keys>
        ? Settings<Shape>
        : Field extends z.ZodArray<infer Element>
          ? readonly z.output<Element>[]
          : Field extends z.ZodType
            ? Readonly<z.output<Field>>
            : never;

/** The names, in camelCase, of the keys whose changes a running daemon applies at once. */
export type LiveNames<Table> = { [Key in keyof Table]: Table[Key] extends Live ? CamelCase<Key> : never }[keyof Table];

/** The settings of a table as it is written, with its defaults; frozen. */
export function settingsOf<Table extends Keys>(table: z.ZodObject<Table>, written: object): Settings<Table> {
  return settingOf(table, written) as Settings<Table>;
}

/** Only those that are written. */
export function givenSettings<Table extends Keys>(table: z.ZodObject<Table>, written: object): GivenSettings<Table> {
  const given = Object.entries(settingsOf(table, written)).filter(([, value]) => value !== null);
  return Object.freeze(Object.fromEntries(given)) as GivenSettings<Table>;
}

function settingOf(field: z.core.$ZodType, value: unknown): unknown {
  if (value === undefined) return null;
  const fields = fieldsOf(field);
  if (fields === null) return Object.freeze(value);
  const written = value as Readonly<Record<string, unknown>>;
  return Object.freeze(
    Object.fromEntries([...fields].map(([name, inner]) => [camelCase(name), settingOf(inner, written[name])])),
  );
}

export function camelCase(name: string): string {
  return name.replace(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

export function snakeCase(name: string): string {
  return name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`);
}
