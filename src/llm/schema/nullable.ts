import type { JsonSchema } from './dialect.ts';

/** The schema, with null as a further value. */
export function mayBeNull(schema: JsonSchema): JsonSchema {
  const { type } = schema;
  if (type === undefined || 'const' in schema) {
    const { anyOf, ...words } = schema;
    if (!Array.isArray(anyOf)) return { anyOf: [schema, { type: 'null' }] };
    return { ...words, anyOf: [...(anyOf as unknown[]), { type: 'null' }] };
  }
  const types = Array.isArray(type) ? (type as unknown[]) : [type];
  if (types.includes('null')) return schema;
  const listed = schema['enum'];
  return {
    ...schema,
    type: [...types, 'null'],
    ...(Array.isArray(listed) && { enum: [...(listed as unknown[]), null] }),
  };
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
