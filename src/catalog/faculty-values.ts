/** What each key of a faculty file comes to, written or not. */
import type { z } from 'zod';
import { fieldsOf, isPlanned } from '../core/toml/fields.ts';
import { readStrictToml } from '../core/toml/strict-toml.ts';
import { facultySchema } from './faculty-schema.ts';

/** The effective value of one key. */
export interface FacultyValue {
  /** Dotted, below `faculty`. */
  readonly key: string;
  /** Null: nothing is set. */
  readonly value: unknown;
  /** `file:line` where it is written, else `default`. */
  readonly origin: string;
}

/** Every key that there is, in the schema's order; a table that may be left out, and is, is one null. Empty for a text that is not sound. */
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
      if (!isPlanned(inner)) visit(inner, (value as Record<string, unknown>)[name], [...path, name]);
    }
  };
  const faculty = fieldsOf(facultySchema)?.get('faculty');
  if (document.sound !== null && faculty !== undefined) visit(faculty, document.sound.faculty, []);
  return values;
}
