/** A table of animus.toml: its keys, and how they become settings. Everything that is known about a section follows from its declaration. */
import { dirname, resolve } from 'node:path';
import type { z } from 'zod';
import { type Problem, problemAt } from '../../errors/problem.ts';
import { table } from '../../toml/fields.ts';
import { type Keys, type Settings, settingsOf } from '../../toml/keys.ts';
import type { StrictDocument } from '../../toml/strict-toml.ts';
import type { ConfigSources, EnvironmentReader } from './environment.ts';

export interface Section<Name extends string = string, Schema extends z.ZodType = z.ZodType, Value = unknown> {
  readonly name: Name;
  /** What may be written. `undefined` must be valid: the section is not written. */
  readonly schema: Schema;
  /** The settings, from what is written with its defaults. Problems go to the place; the value does not count then. */
  read(written: z.output<Schema>, place: SectionPlace): Value;
  /** The variables with secrets that the settings name. */
  secrets?(value: Value): readonly SecretVariable[];
  /** What `animus config` shows for a key, where that is not the setting of its name; null: not set. */
  shown?(value: Value): Readonly<Record<string, string | number | null>>;
  /** The keys, below the section, whose values may come from variables of the environment, with the variable; null: they did not. */
  variables?(value: Value, place: SectionPlace): Readonly<Record<string, string | null>>;
  /** Compared as a whole when the file changes, because its settings are not those of its keys one by one. */
  readonly whole?: true;
}

/** The settings of a section. */
export type ValueOf<S> = S extends { read(...args: never[]): infer Value } ? Value : never;

/** Where a section is read. */
export interface SectionPlace {
  /** The whole file. */
  readonly document: StrictDocument<unknown>;
  readonly env: EnvironmentReader;
  readonly sources: ConfigSources;
  readonly home: string;
  /** Whether the database is the embedded one. */
  readonly embedded: boolean;
  readonly problems: Problem[];
}

/** A path in the file, which is relative to animus.toml; without one, to where the process runs. */
export function resolvePath({ sources: { toml, cwd } }: Pick<SectionPlace, 'sources'>, path: string): string {
  return resolve(toml === null ? cwd : dirname(toml.path), path);
}

/** Reports what is wrong with the value at a path. */
export function reportConflict({ document, problems }: SectionPlace, path: readonly string[], detail: string): void {
  problems.push(problemAt('config.conflict', document.placeOf(...path), { detail }));
}

/** `daemon`: `animus serve` and the commands beside it. `api`: `animus http`. Both need a database login, each its own. */
export type SecretUser = 'daemon' | 'api';

/** A variable that holds a secret, or whose name with `_FILE` names a file with it. */
export interface SecretVariable {
  readonly name: string;
  readonly users: readonly SecretUser[];
  /** What it is for, as the end of a sentence: "… is for calling the provider anthropic". */
  readonly purpose: string;
}

type Table<Shape extends Keys> = z.ZodPrefault<ReturnType<typeof table<Shape>>>;
type More<Schema extends z.ZodType, Value> = Partial<
  Pick<Section<string, Schema, Value>, 'secrets' | 'shown' | 'variables' | 'whole'>
>;

/** A section whose settings are its keys. */
export function section<const Name extends string, Shape extends Keys>(
  name: Name,
  keys: Shape,
): Section<Name, Table<Shape>, Settings<Shape>>;
/** A section with settings that are more than its keys: `read` makes them, from the settings of the keys. */
export function section<const Name extends string, Shape extends Keys, Value>(
  name: Name,
  keys: Shape,
  more: { readonly read: (settings: Settings<Shape>, place: SectionPlace) => Value } & More<Table<Shape>, Value>,
): Section<Name, Table<Shape>, Value>;
export function section(
  name: string,
  keys: Keys,
  more?: { readonly read: (settings: Settings<Keys>, place: SectionPlace) => unknown },
): Section {
  const schema = table(keys).prefault({});
  const read = (written: unknown, place: SectionPlace) => {
    const settings = settingsOf(schema.unwrap(), written as object);
    return more === undefined ? settings : Object.freeze(more.read(settings, place));
  };
  return { ...more, name, schema, read };
}
