/** The files of `src/client/api`, made from the OpenAPI document. */
import { execFileSync } from 'node:child_process';
import { createRequire } from 'node:module';
import { fileURLToPath } from 'node:url';
import { camelCase } from '../../src/core/toml/keys.ts';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import { openApiDocument } from '../../src/http/api/openapi.ts';
import { capitalized, type OpenApiDocument, type Operation, operationsOf } from './operations.ts';
import { comment, members, refName, type Schema, typeOf } from './schema-type.ts';

const MADE = '// Written by `npm run client` from the OpenAPI document. Do not edit.\n';

/** The text of each generated file of `src/client/api`, by its path in the clone. */
export function clientSources(): Readonly<Record<string, string>> {
  const document = openApiDocument(API_ROUTES, '0') as unknown as OpenApiDocument;
  const operations = operationsOf(document);
  const groups = document.tags.map(({ name }) => name);
  const schemas = schemasByFile(document.components.schemas, operations);
  const fileOf = new Map([...schemas].flatMap(([file, own]) => Object.keys(own).map((name) => [name, file] as const)));
  const sources = {
    api: apiSource(document, schemas.has(SHARED)),
    routes: routesSource(document, operations),
    ...(schemas.has(SHARED) && { [SHARED]: sharedSource(schemas.get(SHARED)!) }),
    ...Object.fromEntries(
      groups.map((group) => {
        const own = operations.filter((operation) => operation.group === group);
        return [group, groupSource(group, own, schemas.get(group) ?? {}, fileOf)];
      }),
    ),
  };
  return Object.fromEntries(
    Object.entries(sources).map(([file, source]) => [`src/client/api/${file}.ts`, formatted(source)]),
  );
}

/** The file of the types that several groups use. */
const SHARED = 'shared';

type Schemas = Readonly<Record<string, Schema>>;

/** The components by the file that declares them: that of the only group whose operations use them, or the shared one. */
function schemasByFile(schemas: Schemas, operations: readonly Operation[]): Map<string, Schemas> {
  const groupsOf = new Map<string, Set<string>>();
  const use = (name: string, group: string) => {
    const groups = groupsOf.get(name) ?? new Set();
    if (groups.has(group)) return;
    groupsOf.set(name, groups.add(group));
    for (const inner of refsIn(schemas[name])) use(inner, group);
  };
  for (const { group, input, output } of operations) for (const name of refsIn([input, output])) use(name, group);
  const byFile = new Map<string, Record<string, Schema>>();
  for (const [name, schema] of Object.entries(schemas)) {
    const [only, other] = groupsOf.get(name) ?? [];
    const file = only === undefined || other !== undefined ? SHARED : only;
    byFile.set(file, { ...byFile.get(file), [name]: schema });
  }
  return byFile;
}

/** The names of the components to which a part of the document refers. */
function refsIn(part: unknown): string[] {
  if (typeof part !== 'object' || part === null) return [];
  const { $ref } = part as Schema;
  return [...(typeof $ref === 'string' ? [refName($ref)] : []), ...Object.values(part).flatMap(refsIn)];
}

function apiSource({ tags }: OpenApiDocument, hasShared: boolean): string {
  const names = tags.map(({ name }) => name);
  return [
    MADE,
    '/** The types of the API: what its routes take and answer. */\n',
    ...names.map((name) => `import type { ${methodsName(name)} } from './${name}.ts';`),
    ...[...(hasShared ? [SHARED] : []), ...names].map((name) => `export type * from './${name}.ts';`),
    '/** The methods of a client, one for each route. */\nexport interface Api {',
    ...tags.map(({ name, description }) => `${comment(description)}readonly ${name}: ${methodsName(name)};`),
    '}',
  ].join('\n');
}

function sharedSource(schemas: Schemas): string {
  return [MADE, '/** Types that routes of several groups use. */', ...declarations(schemas)].join('\n');
}

function groupSource(
  group: string,
  operations: readonly Operation[],
  schemas: Schemas,
  fileOf: ReadonlyMap<string, string>,
): string {
  const methods = operations.map(methodSource).join('\n');
  const used = new Set(refsIn([schemas, operations]).filter((name) => fileOf.get(name) !== group));
  const imported = [
    ['../options.ts', ['CallOptions', 'EventOptions', 'RawOptions'].filter((name) => methods.includes(`: ${name}`))],
    ['../list.ts', methods.includes('): List<') ? ['List'] : []],
    [`./${SHARED}.ts`, [...used]],
  ] as const;
  return [
    MADE,
    '/** What the routes of this group take and answer. */\n',
    ...imported.flatMap(([file, names]) =>
      names.length > 0 ? [`import type { ${names.join(', ')} } from '${file}';`] : [],
    ),
    '',
    ...declarations(schemas),
    ...operations.flatMap(namedParts),
    `/** The methods \`client.${group}\`. */\nexport interface ${methodsName(group)} {\n${methods}\n}`,
  ].join('\n');
}

function methodsName(group: string): string {
  return `${capitalized(group)}Methods`;
}

function declarations(schemas: Schemas): string[] {
  return Object.entries(schemas).map(([name, schema]) => declaration(name, schema));
}

function declaration(name: string, schema: Schema): string {
  const head = comment(schema.description);
  const isObject = schema.type === 'object' && Object.keys(schema.properties ?? {}).length > 0;
  if (isObject) return `${head}export interface ${name} {\n${members(schema)}\n}\n`;
  return `${head}export type ${name} = ${typeOf(schema)};\n`;
}

/** Inputs and answers that are not components get the name of their operation. */
function namedParts(operation: Operation): string[] {
  const { input, output } = operation;
  return [
    ...(input && input.$ref === undefined ? [declaration(partName(operation, 'Input'), input)] : []),
    ...(output && output.$ref === undefined ? [declaration(partName(operation, 'Output'), output)] : []),
  ];
}

function partName({ operationId }: Operation, part: 'Input' | 'Output'): string {
  return capitalized(operationId) + part;
}

function methodSource(operation: Operation): string {
  const { name, summary, description, method, path, pathParameters, input, kind } = operation;
  const typeOfPart = (part: Schema, which: 'Input' | 'Output') =>
    part.$ref === undefined ? partName(operation, which) : typeOf(part);
  const optional = input !== null && input.$ref === undefined && (input.required ?? []).length === 0 && !input.allOf;
  const parameters = [
    ...pathParameters.map((parameter) => `${camelCase(parameter.name)}: ${parameter.type}`),
    ...(input !== null ? [`input${optional ? '?' : ''}: ${typeOfPart(input, 'Input')}`] : []),
    `options?: ${kind === 'events' ? 'EventOptions' : kind === 'raw' ? 'RawOptions' : 'CallOptions'}`,
  ];
  const output = operation.output === null ? 'Response' : typeOfPart(operation.output, 'Output');
  const result = {
    json: `Promise<${output}>`,
    stream: 'Promise<Response>',
    raw: 'Promise<Response>',
    list: `List<${output}>`,
    events: `AsyncGenerator<${output}, void>`,
  };
  return `/**\n * ${summary}. ${description}\n *\n * \`${method} ${path}\`\n */\n${name}(${parameters.join(', ')}): ${result[kind]};`;
}

function routesSource({ servers, tags }: OpenApiDocument, operations: readonly Operation[]): string {
  const groups = tags.map(({ name }) => {
    const rows = operations.filter(({ group }) => group === name).map(rowSource);
    return `${name}: {\n${rows.join('\n')}\n},`;
  });
  return [
    MADE,
    '/** The routes behind the methods of a client, by group and name. */\n',
    "import type { Api } from './api.ts';",
    "import type { RouteRow } from '../route-row.ts';\n",
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
  return execFileSync(process.execPath, [biome, 'check', '--write', '--stdin-file-path=src/client/api/api.ts'], {
    cwd: root,
    input: source,
    encoding: 'utf8',
  });
}
