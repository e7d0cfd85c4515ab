/** What is asked of the thread that applies JSON Schemas, and what it answers. */

/** A JSON Schema, plain JSON. */
export type JsonSchema = Readonly<Record<string, unknown>>;

/**
 * `tool`: the input of an MCP server's tool. Unknown keywords and patterns are ignored: the server checks its input itself.
 * `outcome`: what a faculty wrote. An unknown keyword is a mistake.
 */
export type SchemaRules = 'tool' | 'outcome';

/** One check. Texts, because the daemon's thread writes and copies them fastest. */
export interface SchemaRequest {
  readonly rules: SchemaRules;
  readonly schema: string;
  /** JSON; null: only the schema itself is checked. */
  readonly value: string | null;
}

/** One fault of a value. */
export interface SchemaFault {
  /** The keys from the outermost value inwards. */
  readonly path: readonly string[];
  /** A property that may not be there. */
  readonly property: string | null;
  /** What must be, such as `must be string`; at most 500 characters. */
  readonly message: string;
}

/** `unusable`: the schema is not valid. `exceeded`: the check took too much time or memory. */
export type SchemaAnswer =
  | { readonly kind: 'conforms' }
  /** At most 500. */
  | { readonly kind: 'faults'; readonly faults: readonly SchemaFault[] }
  | { readonly kind: 'unusable'; readonly problem: string }
  | { readonly kind: 'exceeded'; readonly problem: string };
