/** The keywords of one schema that are neither structure nor reference: its types, its words, and what a dialect keeps. */
import type { Dialect, JsonSchema } from './dialect.ts';
import { typeOfValues } from './nullable.ts';

/** Keywords that are written on their own, or that mean nothing to a grammar. */
const STRUCTURE = new Set(
  '$schema $id $defs definitions $ref $comment $anchor type enum const properties required additionalProperties items anyOf oneOf allOf description title'.split(
    ' ',
  ),
);

/** Beside a type they narrow it, which no dialect holds; without one they are the structure. */
const COMBINING = new Set(['anyOf', 'oneOf', 'allOf']);

/** Its types; those of its values or properties where it names none; empty for a schema without either. */
export function typesOf(schema: JsonSchema): readonly string[] {
  const type = schema['type'];
  if (typeof type === 'string') return [type];
  if (Array.isArray(type)) return type as string[];
  if ('const' in schema) return typeOfValues([schema['const']]);
  if (Array.isArray(schema['enum'])) return typeOfValues(schema['enum']);
  return 'properties' in schema ? ['object'] : [];
}

/** The keywords that the dialect keeps. */
export function kept(schema: JsonSchema, dialect: Dialect): JsonSchema {
  const stays = Object.entries(schema).filter(([key, value]) => !STRUCTURE.has(key) && dialect.keeps(key, value));
  const written = Object.fromEntries(stays);
  // A format that is kept is enough; a pattern beside it usually repeats it.
  if ('format' in written) delete written['pattern'];
  return written;
}

/** Title and description; the description ends with the keywords that the dialect lacks. */
export function words(schema: JsonSchema, dialect: Dialect): JsonSchema {
  const structure = (key: string) => STRUCTURE.has(key) && !(COMBINING.has(key) && typesOf(schema).length > 0);
  const left = Object.entries(schema).filter(
    ([key, value]) => !structure(key) && !dialect.keeps(key, value) && !(key === 'pattern' && 'format' in schema),
  );
  const advice = left.map(([key, value]) => `${key}: ${JSON.stringify(value)}`).join(', ');
  const own = typeof schema['description'] === 'string' ? schema['description'] : '';
  const text = [own, advice && `(${advice})`].filter((part) => part !== '').join(' ');
  return {
    ...(typeof schema['title'] === 'string' && { title: schema['title'] }),
    ...(text !== '' && { description: text }),
  };
}
