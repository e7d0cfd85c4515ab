/** Writes a JSON Schema as a Python annotation. It helps readers; the engine validates each call. */

import { isObject } from '../../core/text/json-values.ts';
import { valueLiteral } from './python-literal.ts';
import type { Schema } from './read-schema.ts';

const MAX_DEPTH = 4;
const MAX_CHOICES = 20;
const MAX_MEMBERS = 5;
const MAX_LITERAL_CHARS = 100;

/** `Any` for what Python has no words for. `root` is where references point into. */
export function pythonType(schema: unknown, root: Schema): string {
  return typeOf(schema, root, 0, new Map());
}

/** By schema and depth: a schema that refers to itself a hundred times would otherwise be read a hundred million times. */
type Written = Map<unknown, string[]>;

function typeOf(schema: unknown, root: Schema, depth: number, written: Written): string {
  if (!isObject(schema) || depth > MAX_DEPTH) return 'Any';
  const known = written.get(schema) ?? [];
  written.set(schema, known);
  known[depth] ??= annotation(schema, root, depth, written);
  return known[depth];
}

function annotation(schema: Schema, root: Schema, depth: number, written: Written): string {
  const { $ref: reference, enum: choices, type } = schema;
  const inner = (of: unknown): string => typeOf(of, root, depth + 1, written);
  if (typeof reference === 'string') return inner(referenced(reference, root));
  if (Array.isArray(choices)) return literals(choices);
  if ('const' in schema) return literals([schema['const']]);
  const members = schema['anyOf'] ?? schema['oneOf'];
  if (Array.isArray(members)) return union(members.map(inner));
  if (Array.isArray(type))
    return union([...new Set(type)].map((each) => named(each, schema, (of) => typeOf(of, root, depth + 2, written))));
  return named(type, schema, inner);
}

function named(type: unknown, schema: Schema, inner: (of: unknown) => string): string {
  switch (type) {
    case 'string':
      return 'str';
    case 'integer':
      return 'int';
    case 'number':
      return 'float';
    case 'boolean':
      return 'bool';
    case 'null':
      return 'None';
    case 'array':
      return `list[${inner(schema['items'])}]`;
    case 'object':
      return `dict[str, ${inner(valuesOf(schema))}]`;
    default:
      return 'Any';
  }
}

/** Whether None is a value of this type. */
export function allowsNone(type: string): boolean {
  return /(^|\| )(None|Any)( \||$)/.test(type) || /\bLiteral\[(.*, )?None[,\]]/.test(type);
}

function valuesOf({ properties, additionalProperties }: Schema): unknown {
  return isObject(properties) && Object.keys(properties).length > 0 ? undefined : additionalProperties;
}

function literals(values: readonly unknown[]): string {
  const plain = values.every(
    (value) => ['string', 'boolean'].includes(typeof value) || value === null || Number.isSafeInteger(value),
  );
  const written = values.map((value) => valueLiteral(value, MAX_LITERAL_CHARS));
  if (!plain || values.length === 0 || values.length > MAX_CHOICES || written.includes(null)) return 'Any';
  return `Literal[${written.join(', ')}]`;
}

function union(types: readonly string[]): string {
  const different = [...new Set(types)];
  if (different.length === 0 || different.length > MAX_MEMBERS || different.includes('Any')) return 'Any';
  return different.join(' | ');
}

/** What `#/$defs/name` points to; undefined for references elsewhere. */
function referenced(reference: string, root: Schema): unknown {
  if (!reference.startsWith('#/')) return undefined;
  let at: unknown = root;
  for (const step of reference.slice(2).split('/')) {
    const key = step.replaceAll('~1', '/').replaceAll('~0', '~');
    at = isObject(at) && Object.hasOwn(at, key) ? at[key] : undefined;
  }
  return at;
}
