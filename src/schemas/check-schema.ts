/**
 * Applies JSON Schemas of others: of MCP servers and of faculties. A small one can take forever, to compile or to apply, so neither happens
 * in this process.
 */
import { valueBeyond } from '../core/text/json-bounds.ts';
import { JSON_LIMITS } from '../core/text/json-limits.ts';
import type { JsonSchema, SchemaAnswer, SchemaRequest, SchemaRules } from './schema-check.ts';
import { createSchemaProcess, type SchemaProcess } from './schema-process.ts';

/** Ordinary checks take a millisecond, and the first one of a schema some twenty. */
const QUICK_MS = 500;
const SUSPECT_MS = 5000;
const MAX_SUSPECTS = 1000;

interface Processes {
  readonly quick: SchemaProcess;
  /** For schemas that have exceeded a limit, so that they delay only each other. */
  readonly suspect: SchemaProcess;
}

/** Of each kind its own, so that schemas of servers never delay those of faculties. */
const processes: Partial<Record<SchemaRules, Processes>> = {};
const suspects = new Set<string>();
/** A schema is written down once. */
const texts = new WeakMap<JsonSchema, string>();

/** Checks the schema, which its reader has bounded, and the value, if it is given. Never rejects. */
export async function checkBySchema(rules: SchemaRules, schema: JsonSchema, value?: unknown): Promise<SchemaAnswer> {
  const beyond = value === undefined ? null : valueBeyond(value, JSON_LIMITS.toolInput);
  if (beyond !== null) return { kind: 'exceeded', problem: beyond };
  const text = texts.get(schema) ?? JSON.stringify(schema);
  texts.set(schema, text);
  return apply({ rules, schema: text, value: value === undefined ? null : JSON.stringify(value) });
}

/** For a caller that is about to check something, and has other things to do until then. */
export function prepareChecks(rules: SchemaRules): void {
  processesOf(rules).quick.prepare();
}

function processesOf(rules: SchemaRules): Processes {
  return (processes[rules] ??= { quick: createSchemaProcess(QUICK_MS), suspect: createSchemaProcess(SUSPECT_MS) });
}

async function apply(request: SchemaRequest): Promise<SchemaAnswer> {
  const { schema, rules } = request;
  const own = processesOf(rules);
  if (!suspects.has(schema)) {
    const wasFull = own.quick.isFull();
    const answer = await own.quick.check(request);
    if (wasFull || answer.kind !== 'exceeded') return answer;
    if (suspects.size >= MAX_SUSPECTS) suspects.clear();
    suspects.add(schema);
  }
  const begun = performance.now();
  const answer = await own.suspect.check(request);
  // The machine was busy.
  if (answer.kind !== 'exceeded' && performance.now() - begun < QUICK_MS) suspects.delete(schema);
  return answer;
}
