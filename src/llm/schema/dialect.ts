/** The subsets of JSON Schema that vendors can enforce. */

/** A JSON Schema (draft 2020-12), plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/** What a vendor can enforce. Other keywords are moved into the description, where they are only advice. */
export interface Dialect {
  readonly vendor: string;
  /** True: every property must be required, so an optional one is written as nullable. */
  readonly allRequired: boolean;
  /** True: a schema may refer to itself. */
  readonly recursion: boolean;
  /** The keywords that are kept, in addition to those of structure (`properties`, `items`, `enum`, …). */
  keeps(keyword: string, value: unknown): boolean;
  /** The highest counts; null: no limit. */
  readonly limits: {
    /** Objects inside objects; the outermost is the first level. */
    readonly levels: number | null;
    readonly properties: number | null;
    readonly enumValues: number | null;
    /** Properties that are not required. */
    readonly optional: number | null;
    /** Values of more than one type. */
    readonly unions: number | null;
  };
}

/** The formats that both vendors document. */
const FORMATS = new Set(['date-time', 'time', 'date', 'duration', 'email', 'hostname', 'ipv4', 'ipv6', 'uuid']);

const OPENAI_KEEPS = new Set([
  'pattern',
  'multipleOf',
  'minimum',
  'maximum',
  'exclusiveMinimum',
  'exclusiveMaximum',
  'minItems',
  'maxItems',
]);

/** Refused with «regex lookaround is not supported». */
const LOOKAROUND = /\(\?<?[=!]/;

/** OpenAI: «Structured model outputs», supported schemas (copies of 2026). */
export const OPENAI_DIALECT: Dialect = {
  vendor: 'OpenAI',
  allRequired: true,
  recursion: true,
  keeps: (keyword, value) =>
    keyword === 'format'
      ? FORMATS.has(String(value))
      : OPENAI_KEEPS.has(keyword) && !(keyword === 'pattern' && LOOKAROUND.test(String(value))),
  limits: { levels: 10, properties: 5000, enumValues: 1000, optional: null, unions: null },
};

/**
 * Anthropic: «Structured outputs», JSON Schema limitations, and the texts of its errors. The two counts are of a whole
 * request: the schema of the answer and those of all strict tools together.
 */
export const ANTHROPIC_DIALECT: Dialect = {
  vendor: 'Anthropic',
  allRequired: false,
  recursion: false,
  keeps: (keyword, value) =>
    keyword === 'format'
      ? FORMATS.has(String(value)) || value === 'uri'
      : keyword === 'minItems' && (value === 0 || value === 1),
  limits: { levels: null, properties: null, enumValues: null, optional: 24, unions: 16 },
};
