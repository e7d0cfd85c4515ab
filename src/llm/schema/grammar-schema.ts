import type { JsonSchema } from './dialect.ts';

/**
 * A schema for servers that turn it into a grammar (llama.cpp, vLLM, Ollama). They accept all of JSON Schema, or ignore what
 * they do not know. One keyword is left out where it would make llama.cpp refuse the request: a pattern that does not
 * begin with ^ and end with $.
 */
export function grammarSchema(schema: JsonSchema): JsonSchema {
  return withoutOpenPatterns(schema) as JsonSchema;
}

function withoutOpenPatterns(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(withoutOpenPatterns);
  if (typeof value !== 'object' || value === null) return value;
  const entries = Object.entries(value).filter(
    ([key, inner]) => !(key === 'pattern' && typeof inner === 'string' && !/^\^.*\$$/s.test(inner)),
  );
  return Object.fromEntries(entries.map(([key, inner]) => [key, DATA.has(key) ? inner : withoutOpenPatterns(inner)]));
}

/** Keywords whose value is data, not a schema. */
const DATA = new Set(['const', 'enum', 'default', 'examples']);
