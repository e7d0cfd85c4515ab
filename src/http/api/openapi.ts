/** The OpenAPI 3.1 document, made from the table of routes. */
import { z } from 'zod';
import { ERRORS, type ErrorCode } from '../../core/errors/error-table.ts';
import { SESSION_COOKIE } from '../door/session-cookie.ts';
import { FEATURES } from '../route/features.ts';
import type { Route } from '../route/route.ts';
import { workEvent } from '../streams/event-schemas.ts';
import { describedParameter, IDEMPOTENCY_KEY, PREFER } from './openapi-parameters.ts';
import { mayBeAbsent } from './parse-input.ts';
import { PROBLEM_TYPE, problemSchema } from './problem.ts';

type Json = Record<string, unknown>;

/** The path below which all routes are. */
export const API_ROOT = '/api/v1';

/** Errors that every route can answer with. */
const COMMON: readonly ErrorCode[] = [
  'http.invalid',
  'http.unauthorized',
  'http.forbidden',
  'http.host',
  'http.too_many',
  'internal.bug',
  'http.no_database',
];
/** Errors of routes that change something. */
const CHANGING: readonly ErrorCode[] = ['http.csrf'];
/** Errors of routes with a body. */
const WITH_BODY: readonly ErrorCode[] = ['http.media_type', 'http.too_large'];

/** Makes the document. */
export function openApiDocument(routes: readonly Route[], version: string): Json {
  const schemas: Json = {};
  const paths: Record<string, Json> = {};
  for (const route of routes) {
    const methods = (paths[route.path] ??= {});
    methods[route.method.toLowerCase()] = operation(route, schemas);
  }
  schemaOf(problemSchema, 'output', schemas);
  return {
    openapi: '3.1.0',
    info: {
      title: 'animus',
      version,
      description:
        'Work, agents and what they did, over HTTP. Errors are problem details with the codes of docs/errors.md.',
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: API_ROOT }],
    security: [{ token: [] }, { session: [] }],
    tags: describedTags(routes),
    paths,
    components: {
      securitySchemes: {
        token: { type: 'http', scheme: 'bearer', description: 'A token of a person (docs/people.md).' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: SESSION_COOKIE,
          description: 'The session of a browser (docs/console.md). Changes also need the header X-Animus-CSRF.',
        },
      },
      schemas,
    },
  };
}

/** The tags that the routes have, in their order, each with its description. */
function describedTags(routes: readonly Route[]): readonly Json[] {
  const descriptions = Object.assign({}, ...FEATURES.map(({ tags }) => tags)) as Readonly<Record<string, string>>;
  return [...new Set(routes.map(({ tag }) => tag))].map((name) => ({ name, description: descriptions[name] }));
}

function operation(route: Route, schemas: Json): Json {
  const { body } = route.input;
  return {
    operationId: route.id,
    tags: [route.tag],
    summary: route.summary,
    ...accessOf(route),
    parameters: parametersOf(route, schemas),
    ...(body && {
      requestBody: { required: !mayBeAbsent(body), content: content('application/json', body, 'input', schemas) },
    }),
    responses: { ...success(route, schemas), ...failures(route) },
  };
}

function accessOf(route: Route): Json {
  if (!isLogin(route)) return { description: `Needs a token of scope \`${route.scope}\`.` };
  return { description: 'Needs no token: the body says who sends it.', security: [] };
}

/** It is for those who have no session yet. */
function isLogin(route: Route): boolean {
  return route.kind === 'json' && route.session === 'begins';
}

function parametersOf(route: Route, schemas: Json): Json[] {
  const { path, query } = route.input;
  const of = (part: z.ZodObject, where: 'path' | 'query') =>
    Object.entries(part.shape).map(([name, schema]) => ({
      name,
      in: where,
      required: where === 'path' || !(schema as z.ZodType).safeParse(undefined).success,
      ...describedParameter(name, schemaOf(schema as z.ZodType, 'input', schemas)),
    }));
  const headers = route.kind === 'stream' ? Object.entries(route.described?.headers ?? {}) : [];
  return [
    ...of(path, 'path'),
    ...of(query, 'query'),
    ...headers.map(([name, description]) => ({ name, in: 'header', description, schema: { type: 'string' } })),
    ...(route.method !== 'GET' && !isLogin(route) ? [IDEMPOTENCY_KEY] : []),
    ...(awaits(route) ? [PREFER] : []),
  ];
}

function awaits(route: Route): boolean {
  return route.kind === 'json' && route.awaits !== undefined;
}

/** Streams of items. */
const ITEMIZED: ReadonlySet<string> = new Set(['text/event-stream', 'application/jsonl']);

const UNENDED = 'done, and the work has not ended in time, or waits for a person.';

function success(route: Route, schemas: Json): Json {
  if (route.kind === 'stream') {
    const { items, body, answers = {} } = route.described ?? {};
    const described = (type: string): Json => {
      if (body && type === 'application/json') return { schema: schemaOf(body, 'output', schemas) };
      // OpenAPI 3.2 calls it `itemSchema`; 3.1 has no word for the items of a stream.
      const ofItems = items && ITEMIZED.has(type) && { 'x-item-schema': schemaOf(items, 'output', schemas) };
      return { schema: { type: 'string' }, ...ofItems };
    };
    const content = Object.fromEntries(route.media.map((type) => [type, described(type)]));
    const others = Object.entries(answers).map(([status, description]) => [
      status,
      { description, ...(status === '206' && { content }) },
    ]);
    return { 200: { description: 'The stream.', content }, ...Object.fromEntries(others) };
  }
  const answer = content('application/json', route.output, 'output', schemas);
  return {
    ...(awaits(route) && {
      200: { description: 'With `Prefer: wait`: done, and the work has ended.', content: answer },
      202: { description: `With \`Prefer: wait\`: ${UNENDED}`, content: answer },
    }),
    [route.status]: {
      description: awaits(route) && route.status === 202 ? `Done; with \`Prefer: wait\`: ${UNENDED}` : 'Done.',
      ...(route.session && { headers: { 'Set-Cookie': SET_COOKIE } }),
      content: { ...answer, ...(route.streams && eventStream(schemas)) },
    },
  };
}

const SET_COOKIE = {
  description: `Sets \`${SESSION_COOKIE}\`, or removes it.`,
  schema: { type: 'string' },
};

/** OpenAPI 3.1 has no word for the items of a stream. */
function eventStream(schemas: Json): Json {
  return {
    'text/event-stream': { schema: { type: 'string' }, 'x-item-schema': schemaOf(workEvent, 'output', schemas) },
  };
}

const described = (each: readonly ErrorCode[]) => `One of: ${each.map((code) => `\`${code}\``).join(', ')}.`;

function failures(route: Route): Json {
  const codes = [
    ...COMMON,
    ...(route.input.body ? WITH_BODY : []),
    ...(route.method === 'GET' ? [] : CHANGING),
    ...(route.errors ?? []),
  ];
  const byStatus = Map.groupBy(codes, (code) => ERRORS[code].http);
  const content = { [PROBLEM_TYPE]: { schema: { $ref: '#/components/schemas/Problem' } } };
  return Object.fromEntries([...byStatus].map(([status, each]) => [status, { description: described(each), content }]));
}

function content(type: string, schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  return { [type]: { schema: schemaOf(schema, io, schemas) } };
}

/** The JSON Schema of a zod schema; those with an id go to the components, where others refer to them. */
function schemaOf(schema: z.ZodType, io: 'input' | 'output', schemas: Json): Json {
  const made = z.toJSONSchema(schema, {
    io,
    unrepresentable: 'any',
    override: ({ zodSchema, jsonSchema }) => {
      // Rows hold dates; JSON.stringify writes them so.
      if (zodSchema._zod.def.type === 'date') Object.assign(jsonSchema, { type: 'string', format: 'date-time' });
    },
  }) as Json;
  const { $defs = {}, $schema: _, id, ...rest } = moved(made) as Json & { readonly $defs?: Json };
  for (const [name, definition] of Object.entries($defs)) schemas[name] = withoutId(definition as Json);
  if (typeof id !== 'string') return rest;
  schemas[id] = rest;
  return { $ref: `#/components/schemas/${id}` };
}

function withoutId({ id: _, ...rest }: Json): Json {
  return rest;
}

/** The same with references to the components. */
function moved(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(moved);
  if (value === null || typeof value !== 'object') return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, inner]) =>
      key === '$ref' && typeof inner === 'string'
        ? [key, inner.replace('#/$defs/', '#/components/schemas/')]
        : [key, moved(inner)],
    ),
  );
}
