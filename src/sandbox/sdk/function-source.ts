/** Writes a tool as a Python function: signature, defaults, docstring. */

import { isObject } from '../../core/text/json-values.ts';
import { nameGiver, stringLiteral, valueLiteral } from './python-literal.ts';
import { allowsNone, pythonType } from './python-type.ts';
import { parametersOf, type Schema } from './read-schema.ts';

/** A tool as the model knows it. */
export interface SdkTool {
  readonly name: string;
  readonly description: string;
  /** JSON Schema of its input. */
  readonly inputSchema: unknown;
}

/** What its function returns. */
export interface Returned {
  /** What code should know of it. */
  readonly note?: string | undefined;
  /** The annotation. */
  readonly type: string;
  /** The Python function that makes it of content and details. */
  readonly maker: string;
}

const MAX_PARAMETERS = 60;
const MAX_DESCRIPTION = 4000;
const MAX_PARAMETER_TEXT = 500;
const MAX_DEFAULT = 200;

interface Parameter {
  /** In the schema. */
  readonly name: string;
  /** In Python. */
  readonly identifier: string;
  readonly type: string;
  /** Null: it must be given. */
  readonly fallback: string | null;
  /** None means «not given». */
  readonly dropsNone: boolean;
  readonly description: string;
}

/** The source of the function `identifier`, ending in a line break. */
export function functionSource(tool: SdkTool, identifier: string, { type, maker, note }: Returned): string {
  const schema: Schema = isObject(tool.inputSchema) ? tool.inputSchema : {};
  const { named, open } = parametersOf(schema);
  const nameOf = nameGiver();
  const parameters = named
    .slice(0, MAX_PARAMETERS)
    .map((each) => parameterOf(each, nameOf(each.name), schema))
    .sort((one, other) => Number(one.fallback !== null) - Number(other.fallback !== null));
  const others = open || named.length > MAX_PARAMETERS ? nameOf('others') : null;
  const dropped = parameters.filter(({ dropsNone }) => dropsNone).map(({ name }) => `${stringLiteral(name)}, `);
  const signature = [...parameters.map(declaration), ...(others === null ? [] : [`**${others}: Any`])];
  const given = [
    ...parameters.map(({ name, identifier: value }) => `${stringLiteral(name)}: ${value}`),
    ...(others === null ? [] : [`**${others}`]),
  ];
  return `
@tool(${stringLiteral(tool.name)}, ${maker}, (${dropped.join('')}))
def ${identifier}(${signature.join(', ')}) -> ${type}:
    ${stringLiteral(docstring(tool, parameters, others, note))}
    return {${given.join(', ')}}
`;
}

function parameterOf(
  { name, schema, required }: { name: string; schema: Schema; required: boolean },
  identifier: string,
  root: Schema,
): Parameter {
  const type = pythonType(schema, root);
  const description = typeof schema['description'] === 'string' ? schema['description'] : '';
  const base = { name, identifier, description };
  const value = 'default' in schema ? valueLiteral(schema['default'], MAX_DEFAULT) : null;
  if (value !== null)
    return { ...base, type: value === 'None' ? withNone(type) : type, fallback: value, dropsNone: !allowsNone(type) };
  if (required) return { ...base, type, fallback: null, dropsNone: false };
  if (allowsNone(type)) return { ...base, type, fallback: 'UNSET', dropsNone: false };
  return { ...base, type: withNone(type), fallback: 'None', dropsNone: true };
}

function withNone(type: string): string {
  return allowsNone(type) ? type : `${type} | None`;
}

function declaration({ identifier, type, fallback }: Parameter): string {
  return fallback === null ? `${identifier}: ${type}` : `${identifier}: ${type} = ${fallback}`;
}

function docstring(
  { name, description }: SdkTool,
  parameters: readonly Parameter[],
  others: string | null,
  note = '',
): string {
  const lines = parameters.map((each) => {
    const renamed = each.identifier === each.name ? '' : ` (${JSON.stringify(each.name)})`;
    return `    ${each.identifier}${renamed}: ${cut(each.description.replace(/\s+/g, ' '), MAX_PARAMETER_TEXT) || each.type}`;
  });
  if (others !== null) lines.push(`    ${others}: further fields of the input, by name`);
  const listed = lines.length > 0 ? `\n\nArgs:\n${lines.join('\n')}` : '';
  const said = cut(description.trim(), MAX_DESCRIPTION) || `The tool ${name}.`;
  const inCode = note === '' ? '' : `\n\n${note}`;
  return `${said}${inCode}${listed}\n\nRaises ToolError. With .later(...) it does not wait: see gather.`;
}

function cut(text: string, chars: number): string {
  return text.length <= chars ? text : `${text.slice(0, chars).toWellFormed()}…`;
}
