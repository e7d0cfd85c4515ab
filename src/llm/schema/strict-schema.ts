/** Writes a JSON Schema in a vendor's dialect, so that what conforms to the result conforms to the structure of the original. */
import type { Dialect, JsonSchema } from './dialect.ts';
import { kept, typesOf, words } from './keywords.ts';
import { mayBeNull } from './nullable.ts';
import { definitionsOf, recursiveDefinition } from './references.ts';

/** The counts of a written schema. */
export interface SchemaCounts {
  readonly optional: number;
  readonly unions: number;
}

/** The schema in the form that the vendor accepts, or the reason why it has no such form: one clause that names the place. */
export type StrictSchema =
  | { readonly schema: JsonSchema; readonly counts: SchemaCounts }
  | { readonly problem: string };

/**
 * Pure, and the same for the same schema. Objects are closed, because vendors demand it; keywords that the dialect lacks
 * become part of the description. So the result may allow more values than the original (a longer text, a larger number),
 * and with `allRequired` null for an optional property: the caller still has to validate.
 */
export function strictSchema(schema: JsonSchema, dialect: Dialect): StrictSchema {
  const written = WRITTEN.get(dialect) ?? new WeakMap<JsonSchema, StrictSchema>();
  WRITTEN.set(dialect, written);
  const result = written.get(schema) ?? writeWhole(schema, dialect);
  written.set(schema, result);
  return result;
}

// The schemas of a focus do not change, and writing a dozen of them takes half a millisecond of every request.
const WRITTEN = new WeakMap<Dialect, WeakMap<JsonSchema, StrictSchema>>();

function writeWhole(schema: JsonSchema, dialect: Dialect): StrictSchema {
  const known = new Set(Object.keys(definitionsOf(schema)));
  const counts = { optional: 0, unions: 0, properties: 0, enumValues: 0 };
  try {
    const recursive = dialect.recursion ? null : recursiveDefinition(schema);
    if (recursive !== null) throw new Unwritable(`${recursive} refers to itself`);
    if (schema['type'] !== 'object') throw new Unwritable('its outermost "type" must be "object"');
    const defs = Object.entries(definitionsOf(schema)).map(
      ([name, node]) => [name, write(node, { dialect, known, counts, at: `/$defs/${name}`, level: 0 })] as const,
    );
    const root = write(schema, { dialect, known, counts, at: '', level: 0 });
    refuseExcess(counts, dialect);
    return { schema: { ...root, ...(defs.length > 0 && { $defs: Object.fromEntries(defs) }) }, counts };
  } catch (error) {
    if (error instanceof Unwritable) return { problem: error.message };
    throw error;
  }
}

/** Thrown and caught in this file: the walk is recursive. */
class Unwritable extends Error {}

interface Walk {
  readonly dialect: Dialect;
  /** The names of the definitions. */
  readonly known: ReadonlySet<string>;
  readonly counts: { optional: number; unions: number; properties: number; enumValues: number };
  /** A JSON pointer, for messages. */
  readonly at: string;
  /** Objects around this place. */
  readonly level: number;
}

function write(node: unknown, walk: Walk): JsonSchema {
  const { at, dialect } = walk;
  if (node === null || typeof node !== 'object' || Array.isArray(node)) {
    throw new Unwritable(`${place(at)} allows any value; it needs a type`);
  }
  const schema = node as JsonSchema;
  if (typeof schema['$ref'] === 'string') return { $ref: reference(schema['$ref'], walk) };
  const types = typesOf(schema);
  if (types.length === 0) return variants(schema, walk);
  if (types.length > 1) walk.counts.unions += 1;
  return {
    type: types.length === 1 ? types[0] : types,
    ...words(schema, dialect),
    ...values(schema, walk),
    ...kept(schema, dialect),
    ...(types.includes('object') && object(schema, walk)),
    ...(types.includes('array') && { items: write(itemsOf(schema, at), { ...walk, at: `${at}/items` }) }),
  };
}

/** Without a type of its own, a schema is one of several, or the only one in an `allOf`. */
function variants(schema: JsonSchema, walk: Walk): JsonSchema {
  const { at, counts, dialect } = walk;
  const all = schema['allOf'];
  const alone = !('anyOf' in schema) && !('oneOf' in schema);
  if (Array.isArray(all) && all.length === 1 && alone) {
    return write({ ...(all[0] as object), ...words(schema, dialect) }, { ...walk, at: `${at}/allOf/0` });
  }
  const of = schema['anyOf'] ?? schema['oneOf'];
  if (all !== undefined) throw new Unwritable(`${place(at)} combines several schemas with allOf`);
  if ('anyOf' in schema && 'oneOf' in schema) throw new Unwritable(`${place(at)} has both anyOf and oneOf`);
  if (!Array.isArray(of) || of.length === 0) {
    throw new Unwritable(`${place(at)} allows any value; it needs a type`);
  }
  counts.unions += 1;
  const written = of.map((variant: unknown, index) => write(variant, { ...walk, at: `${at}/anyOf/${index}` }));
  // The same variant twice says nothing, and vendors refuse it.
  return {
    ...words(schema, dialect),
    anyOf: [...new Map(written.map((each) => [JSON.stringify(each), each])).values()],
  };
}

function object(schema: JsonSchema, walk: Walk): JsonSchema {
  const { at, counts, dialect, level } = walk;
  const { levels } = dialect.limits;
  if (levels !== null && level >= levels)
    throw new Unwritable(`${place(at)} is an object more than ${levels} levels deep`);
  const properties = (schema['properties'] ?? {}) as JsonSchema;
  const names = Object.keys(properties);
  const open = typeof schema['additionalProperties'] === 'object' || 'patternProperties' in schema;
  if (open || (names.length === 0 && schema['additionalProperties'] !== false)) {
    throw new Unwritable(`${place(at)} is an object whose keys are not all named in "properties"`);
  }
  const required = new Set(Array.isArray(schema['required']) ? (schema['required'] as unknown[]) : []);
  counts.properties += names.length;
  const written = names.map((name) => {
    const inner = write(properties[name], { ...walk, at: `${at}/properties/${name}`, level: level + 1 });
    if (required.has(name)) return [name, inner] as const;
    counts.optional += 1;
    return [name, dialect.allRequired ? mayBeNull(inner) : inner] as const;
  });
  return {
    properties: Object.fromEntries(written),
    required: dialect.allRequired ? names : names.filter((name) => required.has(name)),
    additionalProperties: false,
  };
}

function itemsOf(schema: JsonSchema, at: string): unknown {
  if ('prefixItems' in schema) throw new Unwritable(`${place(at)} is a tuple (prefixItems)`);
  if (schema['items'] === undefined) throw new Unwritable(`${place(at)} is an array without "items"`);
  return schema['items'];
}

function values(schema: JsonSchema, { at, counts }: Walk): JsonSchema {
  const listed = schema['enum'];
  const given = 'const' in schema ? [schema['const']] : Array.isArray(listed) ? (listed as unknown[]) : [];
  counts.enumValues += given.length;
  if (given.some((value) => typeof value === 'object' && value !== null)) {
    throw new Unwritable(`${place(at)} has an array or an object among its values`);
  }
  return { ...('const' in schema ? { const: schema['const'] } : listed !== undefined && { enum: listed }) };
}

function reference(ref: string, { at, known }: Walk): string {
  if (ref === '#') return ref;
  const name = /^#\/(?:\$defs|definitions)\/([^/]+)$/.exec(ref)?.[1];
  if (name === undefined || !known.has(name)) {
    throw new Unwritable(`${place(at)} refers to ${ref}; only "#" and definitions in "$defs" can be referred to`);
  }
  return `#/$defs/${name}`;
}

function refuseExcess(counts: Walk['counts'], { limits }: Dialect): void {
  const excess = (['properties', 'enumValues', 'optional', 'unions'] as const).find(
    (what) => counts[what] > (limits[what] ?? Infinity),
  );
  if (excess === undefined) return;
  throw new Unwritable(`it has ${counts[excess]} ${COUNTED[excess]}; at most ${limits[excess]} are allowed`);
}

const COUNTED = {
  properties: 'properties',
  enumValues: 'values in enums',
  optional: 'properties that are not required',
  unions: 'values of more than one type',
} as const;

function place(at: string): string {
  return at === '' ? 'the schema' : at;
}
