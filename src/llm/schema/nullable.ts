import type { JsonSchema } from './dialect.ts';

/** The schema, with null as a further value; the same one if it allows null already. */
export function mayBeNull(schema: JsonSchema): JsonSchema {
  if (allowsNull(schema)) return schema;
  const { type } = schema;
  if (type === undefined || 'const' in schema) {
    const { anyOf, ...words } = schema;
    if (!Array.isArray(anyOf)) return { anyOf: [schema, { type: 'null' }] };
    return { ...words, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  }
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  const listed = schema['enum'];
  return {
    ...schema,
    type: [...new Set([...types, 'null'])],
    ...(Array.isArray(listed) && { enum: [...new Set([...(listed as unknown[]), null])] }),
  };
}

/** True if null is one of its values, by its type, its values or one of its variants. */
function allowsNull({ type, anyOf, ...schema }: JsonSchema): boolean {
  if ('const' in schema) return schema['const'] === null;
  const listed = schema['enum'];
  if (Array.isArray(listed) && !listed.includes(null)) return false;
  if (type !== undefined) return type === 'null' || (Array.isArray(type) && type.includes('null'));
  return Array.isArray(anyOf) && (anyOf as JsonSchema[]).some(allowsNull);
}

/** The JSON types of values, each once. */
export function typeOfValues(values: readonly unknown[]): readonly string[] {
  return [...new Set(values.map(typeOf))];
}

function typeOf(value: unknown): string {
  if (value === null) return 'null';
  if (Array.isArray(value)) return 'array';
  if (typeof value === 'number') return Number.isInteger(value) ? 'integer' : 'number';
  return typeof value;
}
