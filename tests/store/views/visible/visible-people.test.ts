/** What a gateway reads about people and tokens. */
import { afterAll, expect, test } from 'vitest';
import { asVisitor, type Visitor } from '../../../../src/http/login/visitor.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import { testDatabase } from '../../../support/database.ts';
import { visitorFor } from '../../../support/people.ts';
import { createLogin, dropLogins } from '../../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterAll(() => dropLogins(logins));

test('people are for operators and logins that see all work, tokens also for those who have them, without hashes', async () => {
  const gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
  const seen = (visitor: Visitor, sql: string) => asVisitor(gateway, visitor, (tx) => tx.query(sql));
  const alice = await visitorFor(target.database, 'alice');
  const rita = await visitorFor(target.database, 'rita', 'reader');
  const olga = await visitorFor(target.database, 'olga', 'operator');
  const people = 'select name from animus.visible_people order by 1';
  const tokens = 'select distinct person from animus.visible_tokens order by 1';
  for (const visitor of [alice, rita]) {
    expect(await seen(visitor, people)).toEqual([]);
    expect(await seen(visitor, tokens)).toEqual([{ person: visitor.person }]);
  }
  const all = ['alice', 'olga', 'rita'];
  expect(await seen(olga, people)).toEqual(all.map((name) => ({ name })));
  expect(await seen(olga, tokens)).toEqual(all.map((person) => ({ person })));
  expect(await gateway.query(tokens)).toEqual([]);
  await expect(seen(olga, 'select token_hash from animus.visible_tokens')).rejects.toThrow(/token_hash/);
  await gateway.close();
  const reader = openPostgres(await createLogin(target.connectionString, 'animus_reader', logins), { poolSize: 1 });
  expect(await reader.query(people)).toEqual(all.map((name) => ({ name })));
  expect(await reader.query(tokens)).toEqual(all.map((person) => ({ person })));
  await reader.close();
});
