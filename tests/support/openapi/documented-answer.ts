/** Compares an answer with what the OpenAPI document says of it. */
import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js';
import formats from 'ajv-formats';
import { API_ROOT, openApiDocument } from '../../../src/http/api/openapi.ts';
import { PROBLEM_TYPE } from '../../../src/http/api/problem.ts';
import type { Route } from '../../../src/http/route/route.ts';

/** An answer as it went over the wire. */
export interface SentAnswer {
  readonly method: string;
  /** With the query. */
  readonly url: string;
  readonly status: number;
  readonly contentType: string | undefined;
  /** Of a stream that was cut: what came of it. */
  readonly body: Buffer;
  readonly whole: boolean;
}

/** What is wrong with an answer; an empty list when the document says all of it. */
export type AnswerCheck = (answer: SentAnswer) => readonly string[];

interface Operation {
  readonly responses: Readonly<Record<string, { readonly content?: Readonly<Record<string, Media>> }>>;
}
interface Media {
  readonly 'x-item-schema'?: object;
}

const made = new WeakMap<readonly Route[], AnswerCheck>();

/** The check for these routes; made once. */
export function answerCheck(routes: readonly Route[]): AnswerCheck {
  const known = made.get(routes);
  if (known) return known;
  const check = makeCheck(routes);
  made.set(routes, check);
  return check;
}

function makeCheck(routes: readonly Route[]): AnswerCheck {
  const document = openApiDocument(routes, '0');
  const paths = document['paths'] as Readonly<Record<string, Readonly<Record<string, Operation>>>>;
  const ajv = new Ajv2020({ strict: false });
  formats.default(ajv);
  ajv.addSchema(document, 'api');
  const compiled = new Map<string, ValidateFunction>();
  const validate = (pointer: readonly string[], value: unknown): string[] => {
    const ref = `api#/${pointer.map((part) => encodeURIComponent(part.replaceAll('~', '~0').replaceAll('/', '~1'))).join('/')}`;
    const check = compiled.get(ref) ?? ajv.compile({ $ref: ref });
    compiled.set(ref, check);
    if (check(value)) return [];
    return (check.errors ?? []).map(
      ({ instancePath, message, params }) => `body${instancePath} ${message} ${JSON.stringify(params)}`,
    );
  };
  const problem = ['components', 'schemas', 'Problem'];

  return (answer) => {
    const { method, url, status, body, whole } = answer;
    const path = new URL(url, 'http://api').pathname;
    const type = answer.contentType?.split(';')[0]!.trim();
    if (!path.startsWith(`${API_ROOT}/`) || method === 'OPTIONS') return [];
    const template = templateOf(path.slice(API_ROOT.length), Object.keys(paths));
    const operation = template === null ? undefined : paths[template]![method.replace('HEAD', 'GET').toLowerCase()];
    if (operation === undefined) {
      // No route: `/mcp`, which has a protocol of its own, the document itself, and what is not there.
      return status >= 400 && type === PROBLEM_TYPE && whole && body.length > 0 ? validate(problem, json(body)) : [];
    }
    const place = ['paths', template!, method.replace('HEAD', 'GET').toLowerCase(), 'responses', String(status)];
    const response = operation.responses[status];
    if (response === undefined) return [`status ${status} is not documented; body: ${body.toString('utf8', 0, 300)}`];
    const media = Object.keys(response.content ?? {});
    if (media.length === 0)
      return body.length > 0 ? [`a body for status ${status}, which is documented to have none`] : [];
    const documented = media.find((each) => each === type || each === '*/*');
    if (documented === undefined) return [`content type ${type}, documented are: ${media.join(', ')}`];
    if (method === 'HEAD') return [];
    const schema = [...place, 'content', documented];
    const items = response.content![documented]!['x-item-schema'];
    if (type === 'text/event-stream' || type === 'application/jsonl') {
      if (items === undefined) return [`a stream whose items are not documented`];
      return itemsOf(body.toString(), type).flatMap((item) => validate([...schema, 'x-item-schema'], item));
    }
    if (!whole || !/\bjson$/.test(documented)) return [];
    return validate([...schema, 'schema'], json(body));
  };
}

/** The path of the document that a path of a request means: the one with the most literal parts. */
function templateOf(path: string, templates: readonly string[]): string | null {
  const parts = path.split('/');
  const fits = templates.filter((template) => {
    const wanted = template.split('/');
    return wanted.length === parts.length && wanted.every((want, n) => want.startsWith('{') || want === parts[n]);
  });
  const literal = (template: string) => template.split('{').length;
  return fits.toSorted((a, b) => literal(a) - literal(b))[0] ?? null;
}

function json(body: Buffer): unknown {
  return JSON.parse(body.toString());
}

/** The whole lines, or the `data` of whole events. */
function itemsOf(text: string, type: 'text/event-stream' | 'application/jsonl'): unknown[] {
  if (type === 'application/jsonl')
    return text
      .split('\n')
      .slice(0, -1)
      .map((line) => JSON.parse(line) as unknown);
  return text
    .split('\n\n')
    .slice(0, -1)
    .flatMap((event) => {
      const data = event.split('\n').flatMap((line) => (line.startsWith('data:') ? line.slice(5) : []));
      return data.length === 0 ? [] : [JSON.parse(data.join('\n')) as unknown];
    });
}
