/** The generated files of `src/client`, made from the OpenAPI document. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import { openApiDocument } from '../../src/http/api/openapi.ts';
import { type OpenApiDocument, type Operation, operationsOf } from './operations.ts';
import { comment, members, type Schema, typeOf } from './schema-type.ts';

const MADE = '// Written by `npm run client` from the OpenAPI document. Do not edit.\n';

/** The text of each generated file, by its path in the clone. */
export function clientSources(): Readonly<Record<string, string>> {
  const document = openApiDocument(API_ROUTES, '0') as unknown as OpenApiDocument;
  const operations = operationsOf(document);
  return {
    'src/client/api.ts': formatted(apiSource(document, operations)),
    'src/client/api-routes.ts': formatted(routesSource(document, operations)),
  };
}

function apiSource({ components, tags }: OpenApiDocument, operations: readonly Operation[]): string {
  const groups = tags.map(({ name, description }) => {
    const methods = operations.filter(({ group }) => group === name).map(methodSource);
    return `${comment(description)}readonly ${name}: {\n${methods.join('\n')}\n};`;
  });
  return [
    MADE,
    '/** The types of the API: what its routes take and answer. */',
    "import type { CallOptions, EventOptions } from './options.ts';",
    "import type { List } from './list.ts';\n",
    ...Object.entries(components.schemas).map(([name, schema]) => declaration(name, schema)),
    ...operations.flatMap(namedParts),
    `/** The methods of a client, one for each route. */\nexport interface Api {\n${groups.join('\n')}\n}`,
  ].join('\n');
}

function declaration(name: string, schema: Schema): string {
  const head = comment(schema.description);
  const isObject = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
  if (isObject) return `${head}export interface ${name} {\n${members(schema)}\n}\n`;
  return `${head}export type ${name} = ${typeOf(schema)};\n`;
}

/** Inputs and answers that are no components get the name of their operation. */
function namedParts(operation: Operation): string[] {
  const { input, output } = operation;
  return [
    ...(input && input.$ref === undefined ? [declaration(partName(operation, 'Input'), input)] : []),
    ...(output && output.$ref === undefined ? [declaration(partName(operation, 'Output'), output)] : []),
  ];
}

function partName({ operationId }: Operation, part: 'Input' | 'Output'): string {
  return operationId.replace(/^./, (letter) => letter.toUpperCase()) + part;
}

function methodSource(operation: Operation): string {
  const { name, summary, description, method, path, pathParameters, input, kind } = operation;
  const typeOfPart = (part: Schema, which: 'Input' | 'Output') =>
    part.$ref === undefined ? partName(operation, which) : typeOf(part);
  const optional = input !== null && input.$ref === undefined && (input.required ?? []).length === 0 && !input.allOf;
  const parameters = [
    ...pathParameters.map((parameter) => `${camelCase(parameter.name)}: ${parameter.type}`),
    ...(input !== null ? [`input${optional ? '?' : ''}: ${typeOfPart(input, 'Input')}`] : []),
    `options?: ${kind === 'events' ? 'EventOptions' : 'CallOptions'}`,
  ];
  const output = operation.output === null ? 'Response' : typeOfPart(operation.output, 'Output');
  const result = {
    json: `Promise<${output}>`,
    stream: 'Promise<Response>',
    list: `List<${output}>`,
    events: `AsyncGenerator<${output}, void>`,
  };
  return `/**\n * ${summary}. ${description}\n *\n * \`${method} ${path}\`\n */\n${name}(${parameters.join(', ')}): ${result[kind]};`;
}

function camelCase(name: string): string {
  return name.replaceAll(/_([a-z])/g, (_, letter: string) => letter.toUpperCase());
}

function routesSource({ servers, tags }: OpenApiDocument, operations: readonly Operation[]): string {
  const groups = tags.map(({ name }) => {
    const rows = operations.filter(({ group }) => group === name).map(rowSource);
    return `${name}: {\n${rows.join('\n')}\n},`;
  });
  return [
    MADE,
    '/** The routes behind the methods of a client, by group and name. */',
    "import type { Api } from './api.ts';",
    "import type { RouteRow } from './route-row.ts';\n",
    `/** The path below which all routes are. */\nexport const API_ROOT = ${JSON.stringify(servers[0].url)};\n`,
    `export const API_ROUTES: { readonly [Group in keyof Api]: { readonly [Name in keyof Api[Group]]: RouteRow } } = {\n${groups.join('\n')}\n};`,
  ].join('\n');
}

function rowSource({ name, method, path, kind, input, hasBody, query }: Operation): string {
  const row = {
    method,
    path,
    kind,
    ...(input && { input: true }),
    ...(hasBody && { body: true }),
    ...(query.length > 0 && { query }),
  };
  return `${name}: ${JSON.stringify(row)},`;
}

function formatted(source: string): string {
  const biome = createRequire(import.meta.url).resolve('@biomejs/biome/bin/biome');
  const root = fileURLToPath(new URL('../..', import.meta.url));
  return execFileSync(process.execPath, [biome, 'check', '--write', '--stdin-file-path=src/client/api.ts'], {
    cwd: root,
    input: source,
    encoding: 'utf8',
  });
}
