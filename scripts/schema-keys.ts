import type { z } from 'zod';
import { defaultOf, expectationOf, fieldsOf, unwrapField } from '../src/core/toml/fields.ts';
import { aboutOf } from '../src/core/toml/keys.ts';

/** A key of a TOML schema, as the tables of the docs list it. */
export interface SchemaKey {
  /** Dotted; `NAME` stands for a key that users choose. */
  readonly key: string;
  readonly expected: string;
  /** As written in TOML; `required`, or `none`. */
  readonly fallback: string;
  /** What it is for; empty for keys that only a page describes. */
  readonly about: string;
}

/** All keys of a schema. */
export function schemaKeys(schema: z.core.$ZodType): SchemaKey[] {
  const supported: SchemaKey[] = [];
  const visit = (field: z.core.$ZodType, path: readonly string[], around = '') => {
    const about = aboutOf(field) ?? around;
    const fields = fieldsOf(field);
    const { def } = unwrapField(field)._zod;
    if (fields !== null) {
      for (const [name, inner] of fields) visit(inner, [...path, name]);
      const { catchall } = def as z.core.$ZodObjectDef;
      if (catchall && catchall._zod.def.type !== 'never') visit(catchall, [...path, 'NAME']);
    } else if (def.type === 'record') visit((def as z.core.$ZodRecordDef).valueType, [...path, 'NAME'], about);
    else supported.push({ key: path.join('.'), expected: expectationOf(field), fallback: fallbackOf(field), about });
  };
  visit(schema, []);
  return supported;
}

function fallbackOf(field: z.core.$ZodType): string {
  const value = defaultOf(field);
  if (value !== undefined) return JSON.stringify(value);
  return field._zod.def.type === 'optional' ? 'none' : 'required';
}
