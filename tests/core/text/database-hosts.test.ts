import { describe, expect, test } from 'vitest';
import { databaseHosts } from '../../../src/core/text/addresses.ts';

describe('the hosts of a database URL', () => {
  test.each([
    'postgres://ada:s%2Cx@db:5432/work?sslmode=disable',
    'postgresql://ada:a,b@db/work',
    'postgres:///work',
    'postgres://%2Fvar%2Frun/work',
    'postgres://ada@/work?host=/var/run/postgresql',
    'postgres://db/work?target_session_attrs=any',
  ])('%s has one, and is used as it is', (url) => {
    expect(databaseHosts(url)).toEqual({ urls: [url], target: 'any' });
  });

  test.each(['read-write', 'primary'])(
    'one of which the URL asks for the primary (%s) may not be a standby',
    (attrs) => {
      const url = `postgres://db/work?target_session_attrs=${attrs}`;
      expect(databaseHosts(url)).toEqual({ urls: [url], target: 'primary' });
    },
  );

  test.each([
    ['postgres://ada:a,b@x:1,y:2/work', ['postgres://ada:a,b@x:1/work', 'postgres://ada:a,b@y:2/work']],
    [
      'postgres://x,[::1]:2/work?sslmode=disable',
      ['x/work?sslmode=disable', '[::1]:2/work?sslmode=disable'].map((end) => `postgres://${end}`),
    ],
    ['postgres://ada@/work?host=x,y&port=1&ssl=0', ['postgres://ada@x:1/work?ssl=0', 'postgres://ada@y:1/work?ssl=0']],
    ['postgres://ada@x,[::1]:9/work?port=1,2', ['postgres://ada@x:1/work', 'postgres://ada@[::1]:2/work']],
    ['postgres://x,%2Frun%2Fdb/work?port=5', ['postgres://x:5/work', 'postgres://%2Frun%2Fdb:5/work']],
    ['postgres:///work?port=1,2&host=x,/run/db', ['postgres://x:1/work', 'postgres://%2Frun%2Fdb:2/work']],
  ])('%s has several: of these, the primary is meant', (url, urls) => {
    expect(databaseHosts(url)).toEqual({ urls, target: 'primary' });
    expect(databaseHosts(`${url}${url.includes('?') ? '&' : '?'}target_session_attrs=any`)).toEqual({
      urls,
      target: 'any',
    });
  });

  test.each([
    ['mysql://db/work', 'postgres://user:password@host:port/database'],
    ['postgres://db:x/work', 'postgres://user:password@host:port/database'],
    ['postgres://x:1,y:no/work', 'postgres://user:password@host:port,host:port/database'],
    ['postgres://x,,y/work', 'a name and, if any, a port for each of the hosts'],
    ['postgres://x,y,z/work?port=1,2', 'a name and, if any, a port for each of the hosts'],
    ['postgres://x,%zz/work?port=1', 'a name and, if any, a port for each of the hosts'],
    ['postgres:///work?host=x,y,z&port=1,2', 'a name and, if any, a port for each of the hosts'],
    ['postgres://x/work?target_session_attrs=prefer-standby', 'target_session_attrs=read-write, primary or any'],
    ['postgres://x,y/work?target_session_attrs=standby', 'target_session_attrs=read-write, primary or any'],
  ])('%s is refused, with what it should be', (url, expected) => {
    expect(databaseHosts(url)).toEqual({ expected: expect.stringContaining(expected) });
  });
});
