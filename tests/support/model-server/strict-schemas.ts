/** What the vendors refuse of a schema that they hold answers or inputs to, from their documentation and error texts. */

type Json = Record<string, unknown>;

const OPENAI_REFUSES = new Set(
  'allOf not dependentRequired dependentSchemas if then else oneOf patternProperties propertyNames minProperties maxProperties unevaluatedProperties prefixItems contains minContains maxContains uniqueItems minLength maxLength default $schema $id'.split(
    ' ',
  ),
);

/** Null, or OpenAI's complaint. `what` names the schema: `response_format 'outcome'`, `function 'bash'`. */
export function openAiComplaint(schema: unknown, what: string): string | null {
  const root = schema as Json;
  const words = (context: string, detail: string) => `Invalid schema for ${what}: In context=(${context}), ${detail}`;
  if (root['type'] !== 'object') return words('', `schema must be a JSON Schema of 'type: "object"'.`);
  let complaint: string | null = null;
  let properties = 0;
  let enumValues = 0;
  const complain = (context: string, detail: string) => {
    complaint ??= words(context, detail);
  };
  walk(root, (node, context, depth) => {
    const known = node['type'] ?? node['anyOf'] ?? node['$ref'];
    if (known === undefined) complain(context, "schema must have a 'type' key.");
    const refused = Object.keys(node).find((key) => OPENAI_REFUSES.has(key));
    if (refused !== undefined) complain(context, `'${refused}' is not permitted.`);
    enumValues += Array.isArray(node['enum']) ? node['enum'].length : 0;
    if (isOf(node, 'array') && node['items'] === undefined) complain(context, 'array schema missing items.');
    if (!isOf(node, 'object')) return;
    const names = Object.keys(node['properties'] ?? {});
    properties += names.length;
    if (node['additionalProperties'] !== false)
      complain(context, "'additionalProperties' is required to be supplied and to be false.");
    const missing = names.find((name) => !((node['required'] ?? []) as string[]).includes(name));
    if (missing !== undefined) {
      complain(
        context,
        `'required' is required to be supplied and to be an array including every key in properties. Missing '${missing}'.`,
      );
    }
    if (depth > 10) complain(context, 'schema exceeds 10 levels of nesting.');
  });
  if (properties > 5000) complain('', 'too many properties.');
  if (enumValues > 1000) complain('', 'too many enum values.');
  return complaint;
}

const ANTHROPIC_KEEPS = new Set(
  'type properties required additionalProperties items enum const anyOf allOf $ref $defs description title format minItems'.split(
    ' ',
  ),
);

/** Null, or Anthropic's complaint. */
export function anthropicComplaint(schema: unknown, where: string): string | null {
  let complaint: string | null = null;
  walk(schema as Json, (node) => {
    const type = String(node['type']);
    const other = Object.keys(node).find((key) => !ANTHROPIC_KEEPS.has(key));
    if (other !== undefined) complaint ??= `${where}: For '${type}' type, property '${other}' is not supported`;
    if (['type', 'anyOf', 'allOf', '$ref'].every((key) => node[key] === undefined))
      complaint ??= `${where}: Schema must have a 'type', 'anyOf', 'oneOf', or 'allOf' field`;
    if (Number(node['minItems'] ?? 0) > 1)
      complaint ??= `${where}: For 'array' type, 'minItems' values other than 0 or 1 are not supported`;
    if (isOf(node, 'object') && node['additionalProperties'] !== false)
      complaint ??= `${where}: For 'object' type, 'additionalProperties' must be explicitly set to false`;
  });
  return complaint;
}

/** Null, or Anthropic's complaint about the schemas of a request together. */
export function anthropicBudgetComplaint(answer: unknown, strictTools: readonly unknown[]): string | null {
  let optional = 0;
  let unions = 0;
  for (const schema of [...(answer === undefined ? [] : [answer]), ...strictTools]) {
    walk(schema as Json, (node) => {
      if (Array.isArray(node['anyOf']) || Array.isArray(node['type'])) unions += 1;
      const required = ((node['required'] ?? []) as string[]).length;
      optional += Object.keys(node['properties'] ?? {}).length - required;
    });
  }
  if (strictTools.length > 20)
    return `Too many strict tools (${strictTools.length}). The maximum number of strict tools supported is 20.`;
  if (optional > 24)
    return `Schemas contains too many optional parameters (${optional}), which would make grammar compilation inefficient. Reduce the number of optional parameters in your tool schemas (limit: 24).`;
  return unions > 16 ? `Schemas contains too many parameters with union types (${unions}) (limit: 16).` : null;
}

/** Every schema in a schema. */
function walk(schema: Json, visit: (node: Json, context: string, objectDepth: number) => void): void {
  const step = (node: unknown, context: readonly string[], depth: number): void => {
    if (typeof node !== 'object' || node === null)
      throw new Error(`a schema that is not an object: ${context.join('/')}`);
    const each = node as Json;
    const inner = isOf(each, 'object') ? depth + 1 : depth;
    visit(each, context.map((part) => `'${part}'`).join(', '), inner);
    for (const key of ['properties', '$defs']) {
      for (const [name, child] of Object.entries((each[key] ?? {}) as Json))
        step(child, [...context, key, name], inner);
    }
    for (const key of ['anyOf', 'allOf', 'oneOf']) {
      for (const [index, child] of ((each[key] ?? []) as unknown[]).entries())
        step(child, [...context, key, `${index}`], inner);
    }
    if (each['items'] !== undefined) step(each['items'], [...context, 'items'], inner);
  };
  step(schema, [], 0);
}

function isOf(node: Json, type: string): boolean {
  return node['type'] === type || (Array.isArray(node['type']) && node['type'].includes(type));
}
