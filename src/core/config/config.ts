/** The configuration that the rest of animus reads: frozen, complete, with units in the names. */
import type { z } from 'zod';
import type { Secret } from '../secrets/secret.ts';
import type { LiveNames } from '../toml/keys.ts';
import type { SECTIONS } from './sections/sections.ts';
import type { LOG_LEVELS } from './source/environment.ts';
import type { Section, ValueOf } from './source/section.ts';

type CoreSection = (typeof SECTIONS)[number];
/** The settings of each section, by its name. */
export type Sections = { readonly [Each in CoreSection as Each['name']]: ValueOf<Each> };

/** The effective settings of this process: those of each section under its name, and these. */
export interface Config extends Sections {
  /** The animus.toml that was read, absolute; null when there is none. */
  readonly file: string | null;
  /** ANIMUS_HOME, absolute: the embedded database, focus directories. */
  readonly home: string;
  /** Null: the embedded database. */
  readonly databaseUrl: Secret | null;
  /** ANIMUS_PGMQ_SCHEMA: where `migrate` puts the queues; null: in `pgmq`. */
  readonly pgmqSchema: string | null;
  readonly logLevel: (typeof LOG_LEVELS)[number];
  /** Used for models named without a provider. */
  readonly defaultProvider: string;
  /** The settings of sections that parts of animus declare; `settingsIn` reads them. */
  readonly others: ReadonlyMap<Section, unknown>;
  /** Where each effective value comes from, by dotted key: `default`, `file:line` or `environment NAME`. */
  readonly origins: ReadonlyMap<string, string>;
}

/** The settings of a section that a part of animus declares and `readConfig` was given; of a daemon's start without the live ones. */
export function settingsIn<Each extends Section>(section: Each, config: Config): ValueOf<Each>;
export function settingsIn<Each extends Section>(section: Each, config: FixedConfig): FixedOf<Each>;
export function settingsIn(section: Section, { others }: Pick<Config, 'others'>): unknown {
  if (!others.has(section)) throw new Error(`[${section.name}] was not read`);
  return others.get(section);
}

type KeysOf<Each> = Each extends { readonly schema: z.ZodPrefault<z.ZodObject<infer Keys>> } ? Keys : never;
/** Never: all of its keys are live. */
type FixedNames<Each> = Exclude<keyof KeysOf<Each>, LiveKeys<KeysOf<Each>>>;
type LiveKeys<Keys> = { [Key in keyof Keys]: LiveNames<Pick<Keys, Key>> extends never ? never : Key }[keyof Keys];

/**
 * What a daemon may keep from its start: the configuration without the live settings. Code that gets this type cannot use a live setting as it was at
 * the start; they are read from the settings of now, each time.
 */
export type FixedConfig = Omit<Config, CoreSection['name']> & {
  readonly [Each in CoreSection as [KeysOf<Each>] extends [never]
    ? Each['name']
    : [FixedNames<Each>] extends [never]
      ? never
      : Each['name']]: FixedOf<Each>;
};
type FixedOf<Each> = [LiveNames<KeysOf<Each>>] extends [never]
  ? ValueOf<Each>
  : Omit<ValueOf<Each>, LiveNames<KeysOf<Each>>>;
