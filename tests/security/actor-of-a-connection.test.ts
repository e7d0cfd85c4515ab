/** The promise: whoever a request acts for, the next one on the same connection does not act for: after an answer, an error at any place, a lost preparation. */
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { hashAccessToken } from '../../src/core/secrets/access-token.ts';
import { actWithToken } from '../../src/store/people/acting.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database, Queryable, Statement } from '../../src/store/sql/database.ts';
import { testDatabase } from '../support/database.ts';
import { createPerson, createToken } from '../support/people.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
const WHO = 'select animus.actor() as actor, animus.acting_role() as role, $1::int as n';
const FAILS = 'select 1 / $1::int';
const ALICE = { actor: 'person:alice', role: 'operator' } as const;
const BOB = { actor: 'person:bob', role: 'submitter' } as const;
const UNKNOWN = actWithToken(Buffer.alloc(32, 1));
let alice: Statement;
let bob: Statement;
let url: string;

beforeAll(async () => {
  alice = await actsAs('alice', ALICE.role);
  bob = await actsAs('bob', BOB.role);
  url = await createLogin(target.connectionString, 'animus_gateway', logins);
});
afterAll(() => dropLogins(logins));

async function actsAs(name: string, role: 'operator' | 'submitter'): Promise<Statement> {
  await createPerson(target.database, name, role);
  const { secret } = await createToken(target.database, name);
  return actWithToken(hashAccessToken(secret)!);
}

function gateway(poolSize: number): Database {
  const db = openPostgres(url, { poolSize });
  onTestFinished(() => db.close());
  return db;
}

/** Ways in which what is done for alice ends. */
const ENDS: Record<string, (db: Database) => Promise<unknown>> = {
  'an answer': (db) => db.queryAfter(alice, WHO, [0]),
  'a statement that fails': (db) => db.queryAfter(alice, FAILS, [0]),
  'a statement that cannot be parsed': (db) => db.queryAfter(alice, 'select $1 from nowhere', [0]),
  'a value that cannot be written': (db) => db.queryAfter(alice, 'select $1::jsonb', [cyclic()]),
  'a transaction': (db) => db.transaction((tx) => tx.query(WHO, [0]), alice),
  'a transaction whose first statement fails': (db) => db.transaction((tx) => tx.query(FAILS, [0]), alice),
  'a transaction whose second statement fails': (db) => db.transaction(twice(FAILS), alice),
  'a transaction that hides an error': (db) => db.transaction((tx) => twice(FAILS)(tx).catch(() => null), alice),
  'a transaction whose work fails': (db) =>
    db.transaction(async (tx) => {
      await tx.query(WHO, [0]);
      throw new Error('no');
    }, alice),
  'a preparation that was lost': async (db) => {
    await db.query('deallocate all');
    return db.queryAfter(alice, WHO, [0]);
  },
  'a preparation that was lost within a transaction': (db) =>
    db.transaction(async (tx) => {
      await tx.query(WHO, [0]);
      await tx.query('deallocate all');
      return tx.query(WHO, [0]);
    }, alice),
};

const twice = (next: string) => async (tx: Queryable) => [await tx.query(WHO, [0]), await tx.query(next, [0])];

function cyclic(): object {
  const value: Record<string, unknown> = {};
  value['self'] = value;
  return value;
}

test.each(Object.entries(ENDS))('after %s, a connection acts for nobody, or for the next person', async (_, end) => {
  const db = gateway(1);
  const ended = () => end(db).catch(() => null);
  // The second time, all is prepared.
  for (const n of [1, 2]) {
    await ended();
    expect(await db.query(WHO, [n])).toEqual([{ actor: logins[0], role: null, n }]);
    await ended();
    expect(await db.queryAfter(bob, WHO, [n])).toEqual([{ ...BOB, n }]);
    await ended();
    expect(await db.transaction((tx) => tx.query(WHO, [n]), bob)).toEqual([{ ...BOB, n }]);
    await ended();
    await expect(db.queryAfter(UNKNOWN, WHO, [n])).rejects.toMatchObject({ code: 'http.unauthorized' });
    await ended();
    await expect(db.transaction((tx) => tx.query(WHO, [n]), UNKNOWN)).rejects.toMatchObject({
      code: 'http.unauthorized',
    });
  }
});

test('of many requests at once on two connections, each acts for its own person', async () => {
  const db = gateway(2);
  const ends = Object.values(ENDS);
  const asked = Array.from({ length: 300 }, (_, n) => (n % 3 === 0 ? { n, as: ALICE } : { n, as: BOB }));
  const answers = await Promise.all(
    asked.map(async ({ n, as }) => {
      await ends[n % ends.length]!(db).catch(() => null);
      const opening = as === ALICE ? alice : bob;
      const alone = await db.queryAfter(opening, WHO, [n]);
      return [...alone, ...(await db.transaction((tx) => tx.query(WHO, [n]), opening))];
    }),
  );
  expect(answers).toEqual(
    asked.map(({ n, as }) => [
      { ...as, n },
      { ...as, n },
    ]),
  );
});
