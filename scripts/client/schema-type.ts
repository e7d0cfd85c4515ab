/** A JSON Schema, of the kind that zod writes, as a type of TypeScript. */

export interface Schema {
  readonly $ref?: string;
  readonly type?: string | readonly string[];
  readonly const?: unknown;
  readonly enum?: readonly unknown[];
  readonly anyOf?: readonly Schema[];
  readonly oneOf?: readonly Schema[];
  readonly allOf?: readonly Schema[];
  readonly items?: Schema;
  readonly prefixItems?: readonly Schema[];
  readonly properties?: Readonly<Record<string, Schema>>;
  readonly required?: readonly string[];
  readonly additionalProperties?: boolean | Schema;
  readonly propertyNames?: Schema;
  readonly description?: string;
}

/** The type of the values that the schema permits. Formats and bounds are not part of it. */
export function typeOf(schema: Schema): string {
  const { $ref, anyOf, oneOf, allOf, type } = schema;
  if ($ref !== undefined) return refName($ref);
  if ('const' in schema) return JSON.stringify(schema.const);
  if (schema.enum) return union(schema.enum.map((value) => JSON.stringify(value)));
  if (anyOf ?? oneOf) return union((anyOf ?? oneOf ?? []).map(typeOf));
  if (allOf) return `(${allOf.map((part) => `(${typeOf(part)})`).join(' & ')})`;
  if (typeof type === 'object') return union(type.map((one) => typeOf({ ...schema, type: one })));
  switch (type) {
    case 'array':
      return arrayOf(schema);
    case 'object':
      return objectOf(schema);
    case 'integer':
      return 'number';
    case 'string':
    case 'number':
    case 'boolean':
    case 'null':
      return type;
    case undefined:
      return 'unknown';
    default:
      throw new Error(`no type for ${JSON.stringify(schema)}`);
  }
}

/** The name of a component that a schema refers to. */
export function refName(ref: string): string {
  return ref.replace('#/components/schemas/', '');
}

/** The members of an object type, each with its description. */
export function members({ properties = {}, required = [] }: Schema): string {
  return Object.entries(properties)
    .map(([name, schema]) => `${comment(schema.description)}readonly ${member(name, required.includes(name), schema)};`)
    .join('\n');
}

/** A comment of one line before what it describes; empty without a text. */
export function comment(text: string | undefined): string {
  if (text === undefined || text === '') return '';
  const sentence = text.replace(/^[a-z]/, (letter) => letter.toUpperCase()).replace(/[^.]$/, '$&.');
  return `/** ${sentence.replaceAll('*/', '* /')} */\n`;
}

function member(name: string, required: boolean, schema: Schema): string {
  const key = /^[a-z_]\w*$/i.test(name) ? name : JSON.stringify(name);
  const type = typeOf(schema);
  return required ? `${key}: ${type}` : `${key}?: ${type === 'unknown' ? type : `${type} | undefined`}`;
}

function arrayOf({ items = {}, prefixItems }: Schema): string {
  return prefixItems ? `readonly [${prefixItems.map(typeOf).join(', ')}]` : `readonly (${typeOf(items)})[]`;
}

function objectOf(schema: Schema): string {
  const { properties, additionalProperties: others, propertyNames } = schema;
  if (properties && Object.keys(properties).length > 0) return `{\n${members(schema)}\n}`;
  if (others === undefined || others === false) return 'Record<string, never>';
  const record = `Record<${propertyNames ? typeOf(propertyNames) : 'string'}, ${others === true ? 'unknown' : typeOf(others)}>`;
  return propertyNames?.enum ? `Readonly<Partial<${record}>>` : `Readonly<${record}>`;
}

/** `unknown` and `string` contain what they stand beside. */
function union(types: readonly string[]): string {
  if (types.includes('unknown')) return 'unknown';
  const kept = types.includes('string') ? types.filter((type) => !type.startsWith('"')) : types;
  return [...new Set(kept)].join(' | ');
}
