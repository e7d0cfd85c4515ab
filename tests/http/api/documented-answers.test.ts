/** The check of all answers of these tests notices what is not as documented. */
import { once } from 'node:events';
import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { z } from 'zod';
import { streamRoute } from '../../../src/http/route/route.ts';
import { checkedAnswers } from '../../support/openapi/checked-answers.ts';
import { answerCheck, type SentAnswer } from '../../support/openapi/documented-answer.ts';

const thing = z.object({ id: z.uuid(), at: z.date() });
const route = streamRoute({
  id: 'things',
  method: 'GET',
  path: '/things/{id}',
  tag: 'work',
  summary: 'Things',
  scope: 'read',
  params: z.strictObject({ id: z.string() }),
  media: ['application/json', 'text/event-stream'],
  described: { body: thing, items: thing, answers: { 304: 'Known.' } },
  errors: ['work.not_found'],
  respond: async () => Response.json({ id: 'x' }),
});
const check = answerCheck([route]);

const GOOD = { id: '01900000-0000-7000-8000-000000000000', at: '2026-01-02T03:04:05.678Z' };
const PROBLEM = { type: 'x', title: 'x', status: 404, detail: 'x', code: 'work.not_found', retryable: false };
const json = (value: unknown) => Buffer.from(JSON.stringify(value));
const events = (...values: unknown[]) =>
  Buffer.from(`${values.map((value) => `id: 1\ndata: ${JSON.stringify(value)}\n\n`).join('')}data: {"cu`);

const answer: SentAnswer = {
  method: 'GET',
  url: '/api/v1/things/x?y=z',
  status: 200,
  contentType: 'application/json; charset=utf-8',
  body: json(GOOD),
  whole: true,
};

test.each<[string, Partial<SentAnswer>]>([
  ['as documented', {}],
  ['a problem', { status: 404, contentType: 'application/problem+json', body: json(PROBLEM) }],
  ['no body', { status: 304, contentType: undefined, body: Buffer.alloc(0) }],
  ['the head', { method: 'HEAD', body: Buffer.alloc(0) }],
  ['a cut answer', { body: Buffer.from('{'), whole: false }],
  ['events', { contentType: 'text/event-stream', body: events(GOOD, GOOD), whole: false }],
  [
    'a problem where there is no route',
    { url: '/api/v1/no', status: 404, contentType: 'application/problem+json', body: json(PROBLEM) },
  ],
])('%s is accepted', (_, change) => {
  expect(check({ ...answer, ...change })).toEqual([]);
});

test.each<[string, Partial<SentAnswer>, RegExp]>([
  ['an unknown field', { body: json({ ...GOOD, more: 1 }) }, /additional properties.*more/],
  ['a missing field', { body: json({ id: GOOD.id }) }, /required.*at/],
  ['another type', { body: json({ ...GOOD, id: 5 }) }, /must be string/],
  ['another format', { body: json({ ...GOOD, at: '+275760-09-13T00:00:00.000Z' }) }, /date-time/],
  ['a string for an object', { body: json('x') }, /must be object/],
  [
    'another status',
    { status: 409, contentType: 'application/problem+json', body: json(PROBLEM) },
    /409 is not documented/,
  ],
  ['another content type', { contentType: 'text/html' }, /text\/html, documented are/],
  ['a body where there is none', { status: 304 }, /documented to have none/],
  [
    'a problem with more',
    { status: 404, contentType: 'application/problem+json', body: json({ ...PROBLEM, secret: 1 }) },
    /secret/,
  ],
  ['an event with more', { contentType: 'text/event-stream', body: events(GOOD, { ...GOOD, more: 1 }) }, /more/],
])('%s is noticed', (_, change, expected) => {
  expect(check({ ...answer, ...change }).join('\n')).toMatch(expected);
});

test('what goes over the wire is checked, however the answer is written', async () => {
  const writers: ((response: ServerResponse) => void)[] = [
    (response) => response.writeHead(200, { 'Content-Type': 'application/json' }).end(json(GOOD)),
    (response) => response.setHeader('content-type', 'application/json').end(JSON.stringify({ ...GOOD, more: 1 })),
    (response) => {
      response.writeHead(200, 'OK', ['content-type', 'text/event-stream']);
      response.write(`data: ${JSON.stringify({ ...GOOD, id: 5 })}\n`);
      response.end('\n');
    },
  ];
  const api = checkedAnswers({ answer: (_, response) => writers.shift()?.(response), stop: async () => {} }, [route]);
  const server = createServer((request, response) => api.answer(request, response, () => {})).listen(0, '127.0.0.1');
  onTestFinished(() => void server.close());
  await once(server, 'listening');
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/api/v1/things/x`;
  await (await fetch(url)).text();
  expect(() => api.verify()).not.toThrow();
  for (const expected of [/\/things\/x 200: body must NOT.*more/, /\/things\/x 200: body\/id must be string/]) {
    await (await fetch(url)).text();
    expect(() => api.verify()).toThrow(expected);
  }
});
