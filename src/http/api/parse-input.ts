/** Checks a request against the schemas of its route. */
import type { z } from 'zod';
import { AnimusError } from '../../core/errors/errors.ts';
import { schemaProblems } from '../../core/errors/schema-problems.ts';
import type { Input, Route } from '../route/route.ts';
import { readJsonBody, type SentBody } from './read-body.ts';
import type { Sent } from './sent-request.ts';

/** The parsed input, and its body as it came. Errors: `http.invalid`, which names each key that is wrong, and those of `readJsonBody`. */
export async function parseInput(
  route: Route,
  request: Omit<Sent, 'method'>,
  path: Readonly<Record<string, string>>,
): Promise<{ readonly input: Input; readonly sent: SentBody }> {
  refuseNul(path);
  const query = onlyOnce(request.url);
  const checked = { path: check('path', route.input.path, path), query: check('query', route.input.query, query) };
  const { body } = route.input;
  if (body === null) {
    return { input: { ...checked, body: undefined }, sent: { value: undefined, bytes: new Uint8Array() } };
  }
  const sent = await readJsonBody(request, { maxBytes: route.maxBodyBytes, optional: mayBeAbsent(body) });
  return { input: { ...checked, body: check('body', body, sent.value) }, sent };
}

/** Whether a body says nothing that is needed: no body means the same as `{}`. */
export function mayBeAbsent(body: z.ZodType): boolean {
  return body.safeParse({}).success;
}

function onlyOnce(url: string): Record<string, string> {
  const query: Record<string, string> = {};
  if (!url.includes('?')) return query;
  for (const [name, value] of new URL(url, 'http://host').searchParams) {
    // Setting it would set nothing, without a word.
    if (name === '__proto__') throw new AnimusError('http.invalid', { detail: 'query: __proto__ is not known' });
    if (Object.hasOwn(query, name)) throw new AnimusError('http.invalid', { detail: `query: ${name} is given twice` });
    query[name] = value;
  }
  refuseNul(query);
  return query;
}

function refuseNul(values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) {
    if (value.includes('\0')) throw new AnimusError('http.invalid', { detail: `${name} contains the character NUL` });
  }
}

function check<Schema extends z.ZodType>(part: string, schema: Schema, value: unknown): z.output<Schema> {
  const result = schema.safeParse(value);
  if (result.success) return result.data;
  const detail = schemaProblems(result.error, (path) => (path === '' ? part : `${part}.${path}`));
  throw new AnimusError('http.invalid', { detail });
}
