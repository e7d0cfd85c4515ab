import { expect, test } from 'vitest';
import { routeTable } from '../../../src/http/api/route-table.ts';

const table = routeTable('/api', [
  { method: 'GET', path: '/work' },
  { method: 'GET', path: '/work/first' },
  { method: 'GET', path: '/work/{id}' },
  { method: 'POST', path: '/work/{id}/people/{actor}' },
] as const);

test.each([
  ['GET', '/api/work', '/work', {}],
  ['HEAD', '/api/work?limit=1', '/work', {}],
  ['GET', '/api/w%6Frk', '/work', {}],
  ['GET', '/api/work/first', '/work/first', {}],
  ['GET', '/api/work/x#part', '/work/{id}', { id: 'x' }],
  ['GET', '/api/work/a%2Fb', '/work/{id}', { id: 'a/b' }],
  ['GET', '/api/work/%zz', '/work/{id}', { id: '%zz' }],
  ['POST', '/api/work/x/people/person:%C3%A4', '/work/{id}/people/{actor}', { id: 'x', actor: 'person:ä' }],
])('%s %s is the route %s', (method, target, path, params) => {
  const found = table.find(method, target);
  expect([found?.route.path, found?.params]).toEqual([path, params]);
});

test.each([
  ['POST', '/api/work'],
  ['HEAD', '/api/work/x/people/y'],
  ['GET', '/api/work/'],
  ['GET', '/work'],
  ['GET', '/api/works'],
  ['GET', '/api/work/x/y'],
])('%s %s is none of them', (method, target) => expect(table.find(method, target)).toBe(null));
