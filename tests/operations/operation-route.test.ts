/** Promise: a route and a tool of an operation take what its fields say, and nothing else. */
import { expect, test } from 'vitest';
import { routeTool } from '../../src/http/mcp/route-tool.ts';
import { routeOf } from '../../src/http/route/operation-route.ts';
import {
  choice,
  flag,
  id,
  json,
  jsonObject,
  limit,
  list,
  number,
  optional,
  other,
  terminalOnly,
  text,
  time,
  whole,
} from '../../src/operations/fields.ts';
import { READS } from '../../src/operations/mcp-offer.ts';
import { operation } from '../../src/operations/operation.ts';

const ID = '01900000-0000-7000-8000-000000000000';

const paint = operation({
  name: 'paintWall',
  tag: 'walls',
  summary: 'Paint a wall',
  scope: 'work',
  http: { method: 'POST', path: '/walls/{id}/paint', status: 202, body: 'NewPaint' },
  input: {
    id: id(),
    colours: list(choice(['red', 'blue']), { min: 1, default: ['red'] }),
    coats: whole({ min: 1, max: 3, default: 2 }),
    label: optional(text({ pattern: /^[a-z]+$/, expected: 'small letters' })),
    glossy: flag({ default: false }),
    shape: optional(other(({ z }) => z.strictObject({ edges: z.int() }))),
    litres: optional(number({ min: 0.5, max: 90 })),
    options: jsonObject({ default: {} }),
    recipe: optional(json()),
    painter: terminalOnly(text()),
  },
  check: ({ label, shape }) => (label === 'none' && shape !== undefined ? 'give either label or shape' : null),
  output: ({ z }) => z.object({ id: z.string(), coats: z.int() }),
  run: async ({ visitor }, { id: wall, coats }) => ({ id: wall, coats, by: visitor!.person }),
  mcp: { name: 'paint_wall', description: 'Paint', hints: READS, without: ['shape'] },
});

const walls = operation({
  name: 'listWalls',
  tag: 'walls',
  summary: 'Walls',
  scope: 'read',
  http: { method: 'GET', path: '/walls' },
  input: {
    limit: limit(),
    glossy: optional(flag()),
    litres: optional(number({ min: 0, max: 90 })),
    since: optional(time()),
  },
  check: ({ glossy, litres }) => (glossy && litres === 0 ? 'gloss needs paint' : null),
  output: ({ z }) => z.object({ items: z.array(z.string()) }),
  run: async () => ({ items: [] }),
});

/** JSON of that depth. */
function nested(depth: number): unknown {
  return depth === 0 ? 1 : [nested(depth - 1)];
}

const { path, query, body } = routeOf(paint).input;
const said = (value: unknown) => body!.safeParse(value).error?.issues.map((issue) => issue.message);

test('what the template names is in the path, the rest in the body', () => {
  expect(path.parse({ id: ID })).toEqual({ id: ID });
  expect(query.parse({})).toEqual({});
  expect(body!.parse({})).toEqual({ colours: ['red'], coats: 2, glossy: false, options: {} });
  const given = { colours: ['blue'], coats: 1, label: 'a', glossy: true, shape: { edges: 4 } };
  const more = { litres: 0.75, options: { of: ['a'] }, recipe: [1, null] };
  expect(body!.parse({ ...given, ...more })).toEqual({ ...given, ...more });
  expect(body!.meta()).toMatchObject({ id: 'NewPaint' });
});

test.each([
  [{ coats: 4 }],
  [{ coats: '2' }],
  [{ colours: [] }],
  [{ colours: ['green'] }],
  [{ label: 'A' }],
  [{ glossy: 'yes' }],
  [{ shape: { edges: 'four' } }],
  [{ litres: 0.4 }],
  [{ litres: '1' }],
  [{ options: [] }],
  [{ recipe: nested(201) }],
  [{ painter: 'ann' }],
  [{ id: ID }],
])('a body is refused: %j', (value) => {
  expect(said(value)).toHaveLength(1);
});

test('what is wrong with fields together', () => {
  expect(said({ label: 'none', shape: { edges: 4 } })).toEqual(['give either label or shape']);
  const { query: asked } = routeOf(walls).input;
  const wrong = asked.safeParse({ glossy: 'true', litres: '0' });
  expect(wrong.error?.issues.map((issue) => issue.message)).toEqual(['gloss needs paint']);
});

test('the message says what a pattern means', () => {
  expect(said({ label: 'A' })).toEqual(['expected small letters']);
});

test('a query is text', () => {
  const route = routeOf(walls);
  expect(route.input.body).toBeNull();
  expect(route.input.query.parse({})).toEqual({ limit: 50 });
  expect(route.input.query.parse({ limit: '7', glossy: 'true' })).toEqual({ limit: 7, glossy: true });
  expect(route.input.query.parse({ litres: '0.25' })).toEqual({ limit: 50, litres: 0.25 });
  expect(route.input.query.parse({ since: '2026-03-01T09:00:00Z' })).toMatchObject({
    since: new Date('2026-03-01T09:00Z'),
  });
  for (const query of [{ limit: '201' }, { since: '2h' }])
    expect(route.input.query.safeParse(query).success).toBe(false);
});

test('the route runs the act with all fields together; more than its output names does not leave', async () => {
  const route = routeOf(paint);
  const visit = { means: {}, visitor: { person: 'ann' } };
  const answer = await route.run(visit as never, { path: { id: ID }, query: {}, body: { coats: 3 } });
  expect(answer).toEqual({ id: ID, coats: 3, by: 'ann' });
  expect(route.output.parse(answer)).toEqual({ id: ID, coats: 3 });
  expect([route.status, route.method, route.id, route.scope]).toEqual([202, 'POST', 'paintWall', 'work']);
});

test('its tool has the same fields but those that it is without', () => {
  const tool = routeTool(routeOf(paint), paint.mcp!);
  expect(tool).toMatchObject({ name: 'paint_wall', route: 'POST /walls/{id}/paint', scope: 'work' });
  expect(Object.keys(tool.input.shape)).toEqual([
    'id',
    'colours',
    'coats',
    'label',
    'glossy',
    'litres',
    'options',
    'recipe',
  ]);
});
