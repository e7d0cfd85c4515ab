import type { z } from 'zod';
import { defaultOf, expectationOf, fieldsOf, unwrapField } from '../../src/core/toml/fields.ts';
import { tableRows } from './markdown-table.ts';

/** A key of a TOML schema, as the tables of the docs list it. */
export interface SchemaKey {
  /** Dotted; `NAME` stands for a key that users choose. */
  readonly key: string;
  readonly expected: string;
  /** As written in TOML; `required`, or `none`. */
  readonly fallback: string;
}

/** All keys of a schema. */
export function schemaKeys(schema: z.core.$ZodType): SchemaKey[] {
  const supported: SchemaKey[] = [];
  const visit = (field: z.core.$ZodType, path: readonly string[]) => {
    const fields = fieldsOf(field);
    const { def } = unwrapField(field)._zod;
    if (fields !== null) {
      for (const [name, inner] of fields) visit(inner, [...path, name]);
      const { catchall } = def as z.core.$ZodObjectDef;
      if (catchall && catchall._zod.def.type !== 'never') visit(catchall, [...path, 'NAME']);
    } else if (def.type === 'record') visit((def as z.core.$ZodRecordDef).valueType, [...path, 'NAME']);
    else supported.push({ key: path.join('.'), expected: expectationOf(field), fallback: fallbackOf(field) });
  };
  visit(schema, []);
  return supported;
}

/** The rows of a page's tables of keys: key, expects, default, meaning. */
export function documentedKeys(page: string): SchemaKey[] {
  return tableRows(page)
    .filter((cells) => cells.length === 4 && cells[0]?.startsWith('`'))
    .map(([key = '', expected = '', fallback = '']) => ({ key: bare(key), expected, fallback: bare(fallback) }));
}

function bare(code: string): string {
  return code.replaceAll('`', '');
}

function fallbackOf(field: z.core.$ZodType): string {
  const value = defaultOf(field);
  if (value !== undefined) return JSON.stringify(value);
  return field._zod.def.type === 'optional' ? 'none' : 'required';
}
