/** What differs between two configurations, and what of it a running daemon applies at once. Pure. */
import { isDeepStrictEqual } from 'node:util';
import { fieldsOf } from '../toml/fields.ts';
import { camelCase, isLiveKey, snakeCase } from '../toml/keys.ts';
import type { Config } from './config.ts';
import { SECTIONS } from './sections/sections.ts';
import type { Section } from './source/section.ts';

/** The keys of these sections that a running daemon applies at once; a section without a key: all of it. Everything else takes effect at the next start. */
export function liveSettings(sections: readonly Section[] = SECTIONS): readonly string[] {
  return sections.flatMap(({ name, schema, whole }) => {
    const live = [...(fieldsOf(schema) ?? [])].filter(([, field]) => isLiveKey(field));
    if (whole) return live.length > 0 ? [name] : [];
    return live.map(([key]) => `${name}.${key}`);
  });
}

/** Whether a key, or the one above it, is applied at once. */
export function isLive(key: string, { others }: Pick<Config, 'others'>): boolean {
  const live = liveSettings([...SECTIONS, ...others.keys()]);
  return live.some((each) => key === each || key.startsWith(`${each}.`));
}

/** The keys, as written in animus.toml, whose effective values differ: `daemon.max_concurrent`, `providers.gateway`, … */
export function changedSettings(before: Config, after: Config): string[] {
  return sectionsOf(after).flatMap((section) => {
    const [old, now] = [valueIn(before, section), valueIn(after, section)];
    if (section.whole) return isDeepStrictEqual(old, now) ? [] : [section.name];
    const [oldValues, values] = [entriesOf(old), entriesOf(now)];
    return [...new Set([...oldValues.keys(), ...values.keys()])]
      .filter((name) => !isDeepStrictEqual(oldValues.get(name), values.get(name)))
      .map((name) => `${section.name}.${now instanceof Map ? name : snakeCase(name)}`);
  });
}

/** The configuration that holds after a reload: the live settings of the newest file, and all others as they were at the start. */
export function withLiveSettings(initial: Config, newest: Config): Config {
  const live = (key: string) => isLive(key, initial);
  const values = new Map(
    sectionsOf(initial).map((section) => [
      section,
      taken(section, valueIn(initial, section), valueIn(newest, section)),
    ]),
  );
  const origins = new Map([...initial.origins].filter(([key]) => !live(key)));
  for (const [key, origin] of newest.origins) if (live(key)) origins.set(key, origin);
  return Object.freeze({
    ...initial,
    ...Object.fromEntries(SECTIONS.map((section) => [section.name, values.get(section)])),
    others: new Map([...initial.others.keys()].map((section) => [section, values.get(section)])),
    origins,
  });
}

function taken(section: Section, initial: unknown, newest: unknown): unknown {
  const live = liveSettings([section]);
  if (live.length === 0) return initial;
  if (section.whole) return newest;
  const names = live.map((key) => camelCase(key.slice(section.name.length + 1)));
  const settings = newest as Readonly<Record<string, unknown>>;
  return Object.freeze({ ...(initial as object), ...Object.fromEntries(names.map((name) => [name, settings[name]])) });
}

/** All sections of a configuration. */
export function sectionsOf({ others }: Pick<Config, 'others'>): readonly Section[] {
  return [...SECTIONS, ...others.keys()];
}

/** The settings of a section. */
export function valueIn(config: Config, section: Section): unknown {
  return config.others.has(section) ? config.others.get(section) : config[section.name as keyof Config];
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return value instanceof Map ? value : new Map(Object.entries(value as object));
}
