import type { z } from 'zod';
import { fieldAt, fieldsOf, unwrapField } from '../toml/fields.ts';
import type { Section, SectionPlace } from './source/section.ts';

/** Where each setting comes from: `file:line`, `environment NAME`, or `default`. What users name themselves is in it only where it is written. */
export function originsOf(values: ReadonlyMap<Section, unknown>, place: SectionPlace): ReadonlyMap<string, string> {
  const { env } = place;
  const set = (name: string) => (env.text(name) === null ? null : name);
  const origins = new Map([
    ['home', ofVariable(set('ANIMUS_HOME'))],
    ['database_url', ofVariable(env.secretOrigin('DATABASE_URL'))],
    ['pgmq_schema', ofVariable(set('ANIMUS_PGMQ_SCHEMA'))],
    ['log_level', ofVariable(set('LOG_LEVEL'))],
  ]);
  for (const [section, value] of values) {
    addOrigins(origins, [section.name], section.schema, place);
    for (const [key, variable] of Object.entries(section.variables?.(value, place) ?? {})) {
      const full = `${section.name}.${key}`;
      if (variable !== null || !origins.has(full)) origins.set(full, ofVariable(variable));
    }
  }
  return origins;
}

function addOrigins(
  origins: Map<string, string>,
  path: readonly string[],
  field: z.core.$ZodType,
  place: SectionPlace,
  isNamed = false,
): void {
  const origin = place.document.originOf(...path);
  if (origin !== null || !isNamed) origins.set(dotted(path), origin ?? 'default');
  for (const [name, inner] of fieldsOf(field) ?? []) addOrigins(origins, [...path, name], inner, place, isNamed);
  if (unwrapField(field)._zod.def.type !== 'record') return;
  for (const name of Object.keys(place.document.written(...path) ?? {})) {
    const inner = fieldAt(field, [name]);
    if (inner !== null) addOrigins(origins, [...path, name], inner, place, true);
  }
}

/** A path as it would be written in TOML. */
export function dotted(path: readonly string[]): string {
  return path.map((name) => (/^[A-Za-z0-9_-]+$/.test(name) ? name : JSON.stringify(name))).join('.');
}

function ofVariable(name: string | null): string {
  return name === null ? 'default' : `environment ${name}`;
}
