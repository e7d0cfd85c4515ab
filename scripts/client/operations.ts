/** The operations of an OpenAPI document, as the methods of a client. */
import type { RouteRow } from '../../src/client/route-row.ts';
import type { Schema } from './schema-type.ts';

type Json = Readonly<Record<string, unknown>>;

interface Media {
  readonly schema?: Schema;
  readonly 'x-item-schema'?: Schema;
}

interface DocumentOperation {
  readonly operationId: string;
  readonly tags: readonly [string];
  readonly summary: string;
  readonly description: string;
  readonly parameters: readonly {
    readonly name: string;
    readonly in: 'path' | 'query' | 'header';
    readonly required?: boolean;
    readonly description?: string;
    readonly schema: Schema;
  }[];
  readonly requestBody?: { readonly content: { readonly 'application/json': Media } };
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}

/** What the generator reads of the document. */
export interface OpenApiDocument {
  readonly servers: readonly [{ readonly url: string }];
  readonly tags: readonly { readonly name: string; readonly description?: string }[];
  readonly paths: Readonly<Record<string, Json>>;
  readonly components: { readonly schemas: Readonly<Record<string, Schema>> };
}

/** A method of the client. */
export interface Operation {
  readonly operationId: string;
  /** `client.GROUP.NAME` */
  readonly group: string;
  readonly name: string;
  readonly summary: string;
  readonly description: string;
  readonly method: string;
  readonly path: string;
  readonly pathParameters: readonly { readonly name: string; readonly type: 'string' | 'number' }[];
  /** Names of its input that are sent in the query. */
  readonly query: readonly string[];
  /** Query and body together; null: it takes no input. */
  readonly input: Schema | null;
  readonly hasBody: boolean;
  readonly kind: RouteRow['kind'];
  /** Of a list, one of its items; of a stream of events, one event; of JSON Lines, what a line is; null: bytes. */
  readonly output: Schema | null;
}

/** All operations in the order of the document. Errors: two of one group with the same name. */
export function operationsOf(document: OpenApiDocument): Operation[] {
  const all = Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods)
      .map(([method, operation]) => operationOf(path, method, operation as DocumentOperation))
      .flatMap((operation) => (operation.kind === 'events' ? [operation, rawOf(operation)] : operation)),
  );
  const names = all.map(({ group, name }) => `${group}.${name}`);
  const twice = names.filter((name, index) => names.indexOf(name) !== index);
  if (twice.length > 0) throw new Error(`two operations would be client.${twice.join(', client.')}: rename one`);
  return all;
}

/** The method that returns the bytes of a stream of events as they come. */
function rawOf(operation: Operation): Operation {
  return {
    ...operation,
    name: `raw${capitalized(operation.name)}`,
    summary: `The bytes of \`${operation.name}\`, to be passed on: an event stream, or 204 where nothing follows`,
    kind: 'raw',
    output: null,
  };
}

function operationOf(path: string, method: string, operation: DocumentOperation): Operation {
  const { operationId, tags, summary, description, parameters, requestBody } = operation;
  const query = parameters.filter((one) => one.in === 'query');
  const body = requestBody?.content['application/json'].schema ?? null;
  const answer = answerOf(operation);
  // What a reader of events goes on after is an option, not an input.
  const asked = answer.kind === 'events' ? query.filter(({ name }) => name !== 'after') : query;
  return {
    operationId,
    group: tags[0],
    name: methodName(operationId, tags[0]),
    summary,
    description,
    method: method.toUpperCase(),
    path,
    pathParameters: parameters
      .filter((one) => one.in === 'path')
      .map(({ name, schema }) => ({ name, type: schema.type === 'integer' ? 'number' : 'string' })),
    query: asked.map(({ name }) => name),
    input: inputOf(asked, body),
    hasBody: body !== null,
    ...answer,
  };
}

export function capitalized(word: string): string {
  return word.replace(/^./, (letter) => letter.toUpperCase());
}

/** What else a tag calls its things. */
const NOUNS: Readonly<Record<string, string>> = { people: 'person', memory: 'memories' };
const PREPOSITIONS = new Set(['In', 'To', 'From']);

/** `submitWork` of `work` is `submit`, `sayInChat` of `chats` is `say`, `streamWorkEvents` is `events`. */
export function methodName(operationId: string, tag: string): string {
  const nouns = [tag, tag.replace(/s$/, ''), NOUNS[tag]];
  const words = operationId.split(/(?=[A-Z])/);
  const noun = words.findIndex((word) => nouns.includes(word.toLowerCase()));
  const kept = words.filter((word, index) => {
    const leadsToNoun = index === noun - 1 && PREPOSITIONS.has(word);
    return index !== noun && !leadsToNoun && !(index === 0 && word === 'stream');
  });
  return (kept.length > 0 ? kept.join('') : operationId).replace(/^[A-Z]/, (letter) => letter.toLowerCase());
}

function inputOf(query: DocumentOperation['parameters'], body: Schema | null): Schema | null {
  const isEmpty = body !== null && body.$ref === undefined && Object.keys(body.properties ?? {}).length === 0;
  if (query.length === 0) return isEmpty ? null : body;
  const properties = Object.fromEntries(
    query.map(({ name, schema, description }) => [
      name,
      { ...schema, ...(description !== undefined && { description }) },
    ]),
  );
  const required = query.filter((one) => one.required).map(({ name }) => name);
  const parameters: Schema = { type: 'object', properties, required };
  return body === null || isEmpty ? parameters : { allOf: [parameters, body] };
}

function answerOf({ operationId, parameters, responses }: DocumentOperation): Pick<Operation, 'kind' | 'output'> {
  const [, success] = Object.entries(responses).find(([status]) => status.startsWith('2')) ?? [];
  const [type = '', media = {}] = Object.entries(success?.content ?? {})[0] ?? [];
  const item = media['x-item-schema'];
  if (item && type === 'text/event-stream') return { kind: 'events', output: item };
  if (type !== 'application/json') return { kind: 'stream', output: item ?? null };
  const schema = media.schema;
  if (!schema) throw new Error(`${operationId} has no schema of its answer`);
  const listed = schema.properties?.['next'] && schema.properties['items']?.items;
  const paged = listed && parameters.some((one) => one.in === 'query' && one.name === 'after');
  return paged ? { kind: 'list', output: listed } : { kind: 'json', output: schema };
}
