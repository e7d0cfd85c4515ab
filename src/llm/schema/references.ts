import type { JsonSchema } from './dialect.ts';

/** The definitions of a schema by name, under either keyword. */
export function definitionsOf(schema: JsonSchema): JsonSchema {
  return { ...(schema['definitions'] as object | undefined), ...(schema['$defs'] as object | undefined) };
}

/** A definition that refers to itself, directly or through others, as a JSON pointer; null if there is none. */
export function recursiveDefinition(schema: JsonSchema): string | null {
  const refers = new Map(Object.entries(definitionsOf(schema)).map(([name, node]) => [name, namesIn(node)]));
  if (namesIn(schema).has('#')) return 'the schema';
  for (const name of refers.keys()) if (reaches(name, name, refers, new Set())) return `/$defs/${name}`;
  return null;
}

function reaches(
  from: string,
  to: string,
  refers: ReadonlyMap<string, ReadonlySet<string>>,
  seen: Set<string>,
): boolean {
  for (const next of refers.get(from) ?? []) {
    if (next === to) return true;
    if (seen.has(next)) continue;
    seen.add(next);
    if (reaches(next, to, refers, seen)) return true;
  }
  return false;
}

/** The names of the definitions a schema refers to; `#` is the schema itself. */
function namesIn(node: unknown): ReadonlySet<string> {
  const names = new Set<string>();
  const visit = (value: unknown): void => {
    if (Array.isArray(value)) value.forEach(visit);
    else if (typeof value === 'object' && value !== null) {
      const ref = (value as JsonSchema)['$ref'];
      if (typeof ref === 'string') names.add(ref === '#' ? '#' : (ref.split('/').at(-1) ?? ref));
      Object.values(value).forEach(visit);
    }
  };
  visit(node);
  return names;
}
