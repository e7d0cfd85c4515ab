/** Whatever a client with a token sends: an answer with a status below 500, in the form that the document promises. */
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { Secret } from '../../../src/core/secrets/secret.ts';
import { API_ROUTES } from '../../../src/http/api/api-routes.ts';
import { problemSchema } from '../../../src/http/api/problem.ts';
import type { Route } from '../../../src/http/route/route.ts';
import { type TestApi, testApi } from '../../support/api.ts';
import { registerCodeDaemon } from '../../support/code-daemon.ts';
import { createPerson } from '../../support/people.ts';

const { start, owner } = testApi();

const text = fc.oneof(
  fc.string({ unit: 'binary', maxLength: 40 }),
  fc.constantFrom(
    '',
    '*',
    '..',
    '%',
    'null',
    '0',
    '-1',
    '1e999',
    '01900000-0000-7000-8000-000000000000',
    '\u0000',
    '\ud800',
    "'; --",
  ),
);
const value = fc.oneof(text, fc.jsonValue({ maxDepth: 3 }));

/** Bodies that are accepted; a field or two of them is replaced. */
const VALID: Readonly<Record<string, object>> = {
  submitWork: { faculty: 'engineer' },
  runCode: { code: 'return 1' },
  sayWork: { text: 'hello' },
  appendLedger: { type: 'note', content: 'x' },
  answer: { text: 'yes' },
  addSchedule: { name: 'nightly', cron: '0 3 * * *', faculty: 'engineer' },
  storeMemory: { content: 'x' },
  createWorkspace: { name: 'x' },
  sayInChat: { content: 'x' },
  editChatMessage: { content: 'x' },
  addWebhook: { url: 'https://example.com/hook' },
  importChat: { content: '{"role": "user", "content": "x"}' },
};

/** An event stream does not end. */
const ending = API_ROUTES.filter((route) => route.kind === 'json' || !route.media.includes('text/event-stream'));

test('nothing that a client sends is an internal error', { timeout: 240_000 }, async () => {
  const { call } = await start();
  await createPerson(owner(), 'olga', 'operator');
  await registerCodeDaemon(owner());
  for (const route of ending) await sendOdd(route, call);
});

async function sendOdd(route: Route, call: TestApi['call']): Promise<void> {
  const { id } = route;
  const { path, query, body } = route.input;
  const shapes = [path, query].map((part) => Object.keys(part.shape));
  const fields = body === null ? [] : Object.keys((body as unknown as { shape: object }).shape ?? {});
  const inputs = fc.record({
    path: fc.array(text, { minLength: shapes[0]!.length, maxLength: shapes[0]!.length }),
    query: fc.dictionary(fc.constantFrom(...(shapes[1]!.length > 0 ? shapes[1]! : ['x'])), text),
    body: fc.oneof(
      fc.dictionary(fc.constantFrom(...(fields.length > 0 ? fields : ['x'])), value, { maxKeys: 2 }),
      value,
    ),
  });
  await fc.assert(
    fc.asyncProperty(inputs, async (input) => {
      let n = 0;
      const to = route.path.replaceAll(/\{\w+\}/g, () => encodeURIComponent(input.path[n++]!.toWellFormed()) || 'x');
      const search = new URLSearchParams(input.query).toString();
      const changed = isObject(input.body) ? { ...VALID[id], ...(input.body as object) } : input.body;
      const given = body === null ? {} : { body: JSON.stringify(changed) };
      const answer = await call('olga', route.method, `${to}?${search}`, given);
      expect(answer.status, JSON.stringify([to, input, answer.body])).toBeLessThan(500);
      if (answer.status >= 400)
        expect(problemSchema.safeParse(answer.body).error, JSON.stringify([to, answer])).toBe(undefined);
    }),
    { numRuns: Number(process.env['RUNS'] ?? 5) },
  );
}

function isObject(value: unknown): value is Record<string, unknown> {
  return value !== null && typeof value === 'object' && !Array.isArray(value);
}
