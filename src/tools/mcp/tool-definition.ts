/** Reads a tool as an MCP server describes it. Nothing in it is trusted: everything is bounded, and annotations are ignored. */
import { createHash } from 'node:crypto';
import { harmlessLines } from '../../core/text/harmless.ts';
import { valueBeyond } from '../../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../../core/text/json-limits.ts';
import { isObject } from '../../core/text/json-values.ts';
import { wordSet } from '../../core/text/word-set.ts';
import type { McpTool } from '../../store/work/mcp-pins.ts';

/** A tool that cannot be offered to a model, and why. */
export interface UnusableTool {
  readonly name: string;
  readonly problem: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

const MAX_NAME_CHARS = 128;
const MAX_SCHEMA_CHARS = 32 * 1024;
const MAX_DEPTH = 24;
const MAX_DESCRIPTION_CHARS = 2000;
/** Of what is read of a description to make that: lines and control characters take more room when they are written out. */
const MAX_READ_CHARS = 4 * MAX_DESCRIPTION_CHARS;

/** A definition from `tools/list`. Whether its schema can be applied, `schemaProblem` says. */
export function readDefinition(given: unknown): McpTool | UnusableTool {
  if (!isObject(given) || typeof given['name'] !== 'string') return { name: '?', problem: 'has no name' };
  const { name, title, description = '', inputSchema, outputSchema } = given;
  if (!/^[\x21-\x7e]+$/.test(name) || name.length > MAX_NAME_CHARS) {
    const shown = harmlessLines(name.slice(0, MAX_NAME_CHARS)).join(' ');
    return { name: shown.slice(0, MAX_NAME_CHARS), problem: 'has a name that cannot be used' };
  }
  const beyond = valueBeyond(given, JSON_LIMITS.mcpTool);
  if (beyond !== null) return { name, problem: `has a definition that is too large: ${beyond}` };
  if (typeof description !== 'string') return { name, problem: 'has a description that is not text' };
  const problem = shapeProblem(inputSchema);
  if (problem !== null) return { name, problem: `has an input schema that ${problem}` };
  const schema = forModels(inputSchema as JsonObject);
  return {
    name,
    description: cut(harmlessLines(description.trimStart().slice(0, MAX_READ_CHARS)).join('\n').trim()),
    inputSchema: schema,
    definitionHash: hashOf({ name, title, description, inputSchema, outputSchema }),
  };
}

function shapeProblem(schema: unknown): string | null {
  if (!isObject(schema)) return 'is not an object';
  if (deeperThan(schema, MAX_DEPTH)) return `is nested deeper than ${MAX_DEPTH} levels`;
  if (JSON.stringify(schema).length > MAX_SCHEMA_CHARS) return `is longer than ${MAX_SCHEMA_CHARS / 1024} KiB`;
  if (schema['type'] !== undefined && schema['type'] !== 'object') return 'does not describe an object';
  const { properties } = schema;
  const odd = isObject(properties) && Object.keys(properties).find((key) => !/^[A-Za-z0-9_.-]{1,64}$/.test(key));
  return typeof odd === 'string' ? 'has a property with a name that providers refuse' : null;
}

/** Keywords that providers refuse at the top of a schema, or that say nothing to a model. The server checks its input itself. */
const LEFT_OUT = wordSet('$schema $id $comment oneOf anyOf allOf not enum const if then else');

function forModels(schema: JsonObject): JsonObject {
  const kept = Object.entries(schema).filter(([key]) => !LEFT_OUT.has(key));
  const { properties = {}, ...rest } = Object.fromEntries(kept) as { properties?: unknown };
  return { ...rest, type: 'object', properties: withoutControls(properties) };
}

/** The texts of a schema are for the model, too. */
function withoutControls(value: unknown): unknown {
  if (typeof value === 'string') return harmlessLines(value).join('\n');
  if (Array.isArray(value)) return value.map(withoutControls);
  if (!isObject(value)) return value;
  return Object.fromEntries(Object.entries(value).map(([key, inner]) => [key, withoutControls(inner)]));
}

function deeperThan(value: unknown, levels: number): boolean {
  if (typeof value !== 'object' || value === null) return false;
  return levels === 0 || Object.values(value).some((inner) => deeperThan(inner, levels - 1));
}

/** The order of the keys does not count. */
function hashOf(definition: unknown): string {
  return createHash('sha256')
    .update(JSON.stringify(sorted(definition)))
    .digest('hex');
}

function sorted(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(sorted);
  if (!isObject(value)) return value;
  return Object.fromEntries(
    Object.entries(value)
      .toSorted(([a], [b]) => (a < b ? -1 : 1))
      .map(([key, inner]) => [key, sorted(inner)]),
  );
}

function cut(text: string): string {
  return text.length <= MAX_DESCRIPTION_CHARS ? text : `${text.slice(0, MAX_DESCRIPTION_CHARS).toWellFormed()} […]`;
}
