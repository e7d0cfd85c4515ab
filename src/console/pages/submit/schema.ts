/** From the JSON Schema of a faculty's parameters to the fields of a form, and back to parameters. */

export type FieldKind = 'text' | 'long' | 'number' | 'whole' | 'yes-no' | 'choice' | 'list' | 'json';

export interface Field {
  readonly name: string;
  readonly title: string;
  readonly description: string;
  readonly required: boolean;
  readonly kind: FieldKind;
  /** Of a choice. */
  readonly choices: readonly unknown[];
  /** What the field shows at first. */
  readonly first: string;
  readonly least: number | undefined;
  readonly most: number | undefined;
}

/** What was typed, by name. `yes-no`: `true`, `false` or empty; a list: one entry per line. */
export type Typed = Readonly<Record<string, string>>;

type Schema = Readonly<Record<string, unknown>>;

const MOST_FIELDS = 60;
const MOST_SHORT_CHARS = 200;

/** Null: a form cannot say all that the schema allows, so its parameters are written as JSON. */
export function fieldsOf(schema: Schema | null): readonly Field[] | null {
  if (schema === null || !isSchema(schema['properties'])) return null;
  if (['oneOf', 'anyOf', 'allOf', 'if', '$ref', 'patternProperties'].some((word) => word in schema)) return null;
  const properties = Object.entries(schema['properties']);
  if (properties.length > MOST_FIELDS) return null;
  const required = Array.isArray(schema['required']) ? schema['required'] : [];
  return properties.map(([name, of]) => fieldOf(name, isSchema(of) ? of : {}, required.includes(name)));
}

function fieldOf(name: string, schema: Schema, required: boolean): Field {
  const choices = Array.isArray(schema['enum']) ? schema['enum'] : [];
  const kind = choices.length > 0 ? 'choice' : kindOf(schema);
  const first = schema['default'];
  return {
    name,
    title: text(schema['title']) ?? name,
    description: text(schema['description']) ?? '',
    required,
    kind,
    choices,
    first: first === undefined ? '' : written(first, kind),
    least: number(schema['minimum']),
    most: number(schema['maximum']),
  };
}

function kindOf(schema: Schema): FieldKind {
  const items = schema['items'];
  switch (schema['type']) {
    case 'string':
      return (number(schema['maxLength']) ?? 0) > MOST_SHORT_CHARS || schema['maxLength'] === undefined
        ? 'long'
        : 'text';
    case 'integer':
      return 'whole';
    case 'number':
      return 'number';
    case 'boolean':
      return 'yes-no';
    case 'array':
      return isSchema(items) && items['type'] === 'string' && !('enum' in items) ? 'list' : 'json';
    default:
      return 'json';
  }
}

function written(value: unknown, kind: FieldKind): string {
  if (kind === 'list' && Array.isArray(value)) return value.join('\n');
  if (kind === 'json' || kind === 'choice') return JSON.stringify(value);
  return typeof value === 'string' ? value : JSON.stringify(value);
}

/** What the fields show at first, or of work that is submitted again. */
export function firstTyped(fields: readonly Field[], params: Schema = {}): Typed {
  return Object.fromEntries(
    fields.map(({ name, kind, first }) => [name, name in params ? written(params[name], kind) : first]),
  );
}

export interface ReadParams {
  readonly params: Readonly<Record<string, unknown>>;
  /** By field. The server checks the rest. */
  readonly problems: Readonly<Record<string, string>>;
}

/** Empty fields are left out. `words`: what is said of a field that cannot be read. */
export function paramsOf(
  fields: readonly Field[],
  typed: Typed,
  words: { readonly required: string; readonly number: string; readonly json: (why: string) => string },
): ReadParams {
  const params: Record<string, unknown> = {};
  const problems: Record<string, string> = {};
  for (const { name, kind, required } of fields) {
    const value = typed[name] ?? '';
    if (value.trim() === '') {
      if (required && kind !== 'text' && kind !== 'long') problems[name] = words.required;
      else if (required) params[name] = value;
      continue;
    }
    try {
      const read = readValue(value, kind);
      if (typeof read === 'number' && !Number.isFinite(read)) problems[name] = words.number;
      else params[name] = read;
    } catch (error) {
      problems[name] = words.json(error instanceof Error ? error.message : String(error));
    }
  }
  return { params, problems };
}

function readValue(value: string, kind: FieldKind): unknown {
  switch (kind) {
    case 'text':
    case 'long':
      return value;
    case 'number':
    case 'whole':
      return Number(value);
    case 'yes-no':
      return value === 'true';
    case 'list':
      return value
        .split('\n')
        .map((line) => line.trim())
        .filter((line) => line !== '');
    case 'choice':
    case 'json':
      return JSON.parse(value);
  }
}

function isSchema(value: unknown): value is Schema {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function text(value: unknown): string | null {
  return typeof value === 'string' && value !== '' ? value : null;
}

function number(value: unknown): number | undefined {
  return typeof value === 'number' ? value : undefined;
}
