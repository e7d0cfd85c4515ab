/** The effective value of each key of a faculty file. */
import type { z } from 'zod';
import { fieldsOf } from '../../core/toml/fields.ts';
import { readStrictToml } from '../../core/toml/strict-toml.ts';
import { facultySchema } from './faculty-schema.ts';

/** The effective value of one key. */
export interface FacultyValue {
  /** Dotted, below `faculty`. */
  readonly key: string;
  /** Null: not set. */
  readonly value: unknown;
  /** `file:line` if it is written, else `default`. */
  readonly origin: string;
}

/** All keys, in the order of the schema. An optional table that is missing is one null. Empty for an invalid text. */
export function facultyValues(file: string, text: string): readonly FacultyValue[] {
  const document = readStrictToml(file, text, facultySchema);
  const values: FacultyValue[] = [];
  const visit = (field: z.core.$ZodType, value: unknown, path: readonly string[]) => {
    const fields = fieldsOf(field);
    if (fields === null || value === undefined) {
      const origin = document.originOf('faculty', ...path) ?? 'default';
      values.push({ key: path.join('.'), value: value ?? null, origin });
      return;
    }
    for (const [name, inner] of fields) {
      visit(inner, (value as Record<string, unknown>)[name], [...path, name]);
    }
  };
  const faculty = fieldsOf(facultySchema)?.get('faculty');
  if (document.sound !== null && faculty !== undefined) visit(faculty, document.sound.faculty, []);
  return values;
}
