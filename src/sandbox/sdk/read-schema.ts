/** Reads the parameters of a tool from its JSON Schema. */
import { isObject } from '../../core/text/json-values.ts';

export type Schema = Readonly<Record<string, unknown>>;

/** The parameters that a schema names. */
export interface Parameters {
  readonly named: readonly { readonly name: string; readonly schema: Schema; readonly required: boolean }[];
  /** Whether the schema allows others, or does not say. */
  readonly open: boolean;
}

/** Of other members than `properties` only those one level below `allOf`, `anyOf` and `oneOf` are read. */
export function parametersOf(schema: Schema): Parameters {
  const all = objectsIn(schema['allOf']);
  const some = [...objectsIn(schema['anyOf']), ...objectsIn(schema['oneOf'])];
  const required = new Set(
    [schema, ...all].flatMap((each) => (Array.isArray(each['required']) ? each['required'] : [])),
  );
  const properties = new Map<string, Schema>();
  for (const each of [schema, ...all, ...some]) {
    for (const [name, property] of Object.entries(isObject(each['properties']) ? each['properties'] : {})) {
      if (!properties.has(name)) properties.set(name, isObject(property) ? property : {});
    }
  }
  const named = [...properties].map(([name, property]) => ({ name, schema: property, required: required.has(name) }));
  return { named, open: schema['additionalProperties'] !== false || some.length > 0 };
}

function objectsIn(value: unknown): readonly Schema[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}
