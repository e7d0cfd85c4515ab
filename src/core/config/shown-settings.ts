/** The effective settings of all sections as people read them, except for providers. Secrets are masked. */
import type { z } from 'zod';
import { defaultOf, fieldAt, fieldsOf, unwrapField } from '../toml/fields.ts';
import { camelCase } from '../toml/keys.ts';
import type { Config } from './config.ts';
import { sectionsOf, valueIn } from './live-settings.ts';
import { dotted } from './origins.ts';

type Shown = string | number | null;

/** By dotted key; null: not set. */
export function shownSettings(config: Config): ReadonlyMap<string, Shown> {
  const shown = new Map<string, Shown>();
  for (const section of sectionsOf(config)) {
    if (section.name === 'providers') continue;
    const value = valueIn(config, section);
    addShown(shown, [section.name], section.schema, value);
    for (const [key, own] of Object.entries(section.shown?.(value) ?? {})) shown.set(`${section.name}.${key}`, own);
  }
  return shown;
}

/** Of what users name themselves only what is set. */
function addShown(
  shown: Map<string, Shown>,
  path: readonly string[],
  field: z.core.$ZodType,
  value: unknown,
  isNamed = false,
): void {
  const fields = fieldsOf(field);
  if (fields === null && unwrapField(field)._zod.def.type !== 'record') {
    if (!isNamed || (value ?? null) !== null)
      shown.set(dotted(path), shownValue(value, defaultOf(field) === undefined));
    return;
  }
  const values = entriesOf(value);
  for (const [name, inner] of fields ?? [])
    addShown(shown, [...path, name], inner, values.get(camelCase(name)), isNamed);
  if (fields !== null) return;
  for (const [name, each] of values) {
    const inner = fieldAt(field, [name]);
    if (inner !== null) addShown(shown, [...path, name], inner, each, true);
  }
}

/** `emptyCounts`: an empty text or list is another setting than none. */
function shownValue(value: unknown, emptyCounts: boolean): Shown {
  if (value === null || value === undefined) return null;
  if (typeof value === 'number') return value;
  if (typeof value === 'string') return emptyCounts ? value : value || null;
  if (!Array.isArray(value)) return JSON.stringify(value);
  return value.join(', ') || (emptyCounts ? '[]' : null);
}

function entriesOf(value: unknown): ReadonlyMap<string, unknown> {
  return value instanceof Map ? value : new Map(Object.entries(value ?? {}));
}
