/** The generated files of the client, held to the OpenAPI document. */
import { readdirSync, readFileSync } from 'node:fs';
import { expect, test } from 'vitest';
import { clientSources } from '../../scripts/client/client-source.ts';
import { withEventTables } from '../../scripts/client/event-tables.ts';
import { methodName, type OpenApiDocument, operationsOf } from '../../scripts/client/operations.ts';
import { typeOf } from '../../scripts/client/schema-type.ts';
import { createClient } from '../../src/client/client.ts';
import { API_ROUTES } from '../../src/http/api/api-routes.ts';
import { openApiDocument } from '../../src/http/api/openapi.ts';

const operations = operationsOf(openApiDocument(API_ROUTES, '1') as unknown as OpenApiDocument);

test('the files are those that `npm run client` writes', () => {
  const sources = clientSources();
  const folder = 'src/client/api';
  expect(
    readdirSync(folder)
      .map((file) => `${folder}/${file}`)
      .toSorted(),
  ).toEqual(Object.keys(sources).toSorted());
  for (const [path, source] of Object.entries(sources)) {
    expect(readFileSync(path, 'utf8'), `${path}: run npm run client`).toBe(source);
  }
});

test('the tables of docs/events.md are those that `npm run client` writes', () => {
  const page = readFileSync('docs/events.md', 'utf8');
  expect(withEventTables(page) === page, 'run npm run client').toBe(true);
});

test.each([
  ['submitWork', 'work', 'submit'],
  ['streamWorkEvents', 'work', 'events'],
  ['sayInChat', 'chats', 'say'],
  ['listChatMessages', 'chats', 'listMessages'],
  ['searchMemories', 'memory', 'search'],
  ['storeMemory', 'memory', 'store'],
  ['listWorkspaceFiles', 'workspaces', 'listFiles'],
  ['listToolCalls', 'record', 'listToolCalls'],
  ['skillStats', 'skills', 'stats'],
  ['setPerson', 'people', 'set'],
  ['listScheduleRuns', 'schedules', 'listRuns'],
  ['streamChatEvents', 'chats', 'events'],
  ['status', 'operate', 'status'],
])('%s of %s is called %s', (id, tag, name) => expect(methodName(id, tag)).toBe(name));

test('two operations with one name are refused', () => {
  const first = API_ROUTES.find(({ id }) => id === 'submitWork');
  const again = { ...first!, path: '/other' as const, id: 'submitToWork' };
  const document = openApiDocument([first!, again], '1') as unknown as OpenApiDocument;
  expect(() => operationsOf(document)).toThrow('two operations would be client.work.submit');
});

test.each([
  [{ type: ['string', 'null'] }, 'string | null'],
  [{ anyOf: [{ const: '*' }, { type: 'string' }] }, 'string'],
  [{ type: 'array', items: { anyOf: [{ type: 'integer' }, { type: 'boolean' }] } }, 'readonly (number | boolean)[]'],
  [{ type: 'array', prefixItems: [{ type: 'string' }, {}] }, 'readonly [string, unknown]'],
  [{ type: 'object', additionalProperties: {} }, 'Readonly<Record<string, unknown>>'],
  [
    { type: 'object', propertyNames: { enum: ['a', 'b'] }, additionalProperties: { type: 'integer' } },
    'Readonly<Partial<Record<"a" | "b", number>>>',
  ],
  [{ type: 'object', properties: {}, additionalProperties: false }, 'Record<string, never>'],
  [{ $ref: '#/components/schemas/WorkItem' }, 'WorkItem'],
])('%j is the type %s', (schema, type) => expect(typeOf(schema)).toBe(type));

test('each route of the document has a method that asks for it', async () => {
  const asked: string[] = [];
  const client = createClient({
    baseUrl: 'http://animus.test/below/',
    token: 'secret',
    fetch: async (url, init) => {
      asked.push(`${init.method} ${url}`);
      return new Response(null, { status: 204 });
    },
  });
  const groups = client as unknown as Record<string, Record<string, (...args: unknown[]) => unknown>>;
  for (const { group, name, pathParameters, input, kind } of operations) {
    const result = groups[group]![name]!(
      ...pathParameters.map(({ name: parameter }) => `a/${parameter}`),
      ...(input ? [{}] : []),
    );
    if (kind === 'list') await (result as { page(): Promise<unknown> }).page().catch(() => null);
    else if (kind === 'events') await (result as AsyncGenerator).next();
    else await (result as Promise<unknown>).catch(() => null);
  }
  expect(asked).toEqual(
    operations.map(
      ({ method, path }) => `${method} http://animus.test/below/api/v1${path.replaceAll(/\{(\w+)\}/g, 'a%2F$1')}`,
    ),
  );
});
