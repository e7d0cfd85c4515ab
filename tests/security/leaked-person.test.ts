/** The promise: a gateway acts for a person in one transaction and in no other, however it ends and whatever connection is used next. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';

const target = testDatabase();
const logins: string[] = [];
let url: string;
let gateway: Database;
let itself: string;
beforeAll(async () => {
  url = await createLogin(target.connectionString, 'animus_gateway', logins);
  itself = logins[0]!;
  gateway = openPostgres(url, { poolSize: 1 });
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const actorOf = async (db: Queryable) => (await db.query<{ actor: string }>('select animus.actor()'))[0]!.actor;
const actAs = (db: Queryable, name = 'alice') => db.query('select animus.act_as($1)', [name]);

test('a commit and a rollback both end it, also on the same connection', async () => {
  await gateway.transaction(async (tx) => {
    await actAs(tx);
    expect(await actorOf(tx)).toBe('person:alice');
  });
  expect(await actorOf(gateway)).toBe(itself);
  await expect(
    gateway.transaction(async (tx) => {
      await actAs(tx);
      await tx.query('select 1 / 0');
    }),
  ).rejects.toThrow();
  expect(await actorOf(gateway)).toBe(itself);
});

test('a rollback to a savepoint before act_as ends it, and one after does not', async () => {
  await gateway.transaction(async (tx) => {
    await tx.query('savepoint before');
    await actAs(tx);
    await tx.query('savepoint after');
    await tx.query('rollback to after');
    expect(await actorOf(tx)).toBe('person:alice');
    await tx.query('rollback to before');
    expect(await actorOf(tx)).toBe(itself);
  });
});

test('outside a transaction block it affects nothing', async () => {
  await actAs(gateway);
  expect(await actorOf(gateway)).toBe(itself);
});

test('a value that is kept in the session, the login or a connection string has no effect in later transactions', async () => {
  await gateway.transaction(async (tx) => {
    await actAs(tx);
    await tx.query(`select set_config('animus.acts_as', current_setting('animus.acts_as'), false)`);
    expect(await actorOf(tx)).toBe('person:alice');
  });
  const [kept] = await gateway.query<{ value: string }>(`select current_setting('animus.acts_as') as value`);
  expect(kept!.value).toMatch(/ alice$/);
  expect(await actorOf(gateway)).toBe(itself);
  const withOption = new URL(url);
  withOption.searchParams.set('options', `-c animus.acts_as=${kept!.value.replace(' ', '\\ ')}`);
  const other = openPostgres(withOption.href, { poolSize: 1 });
  expect(await other.query(`select current_setting('animus.acts_as') as value`)).toEqual([kept]);
  expect(await actorOf(other)).toBe(itself);
  await other.close();
  await gateway.query(`select set_config('animus.acts_as', '', false)`);
});

test('a transaction acts for one person', async () => {
  await gateway.transaction(async (tx) => {
    await actAs(tx);
    await actAs(tx);
    await tx.query('savepoint before');
    await expect(actAs(tx, 'bob')).rejects.toMatchObject({ code: 'work.state' });
    await tx.query('rollback to before');
    expect(await actorOf(tx)).toBe('person:alice');
  });
});

test('through a transaction pooler, no client gets the person of another', async () => {
  const pooler = await startTransactionPooler(url, 2);
  const [alice, bob, nobody] = [1, 2, 3].map(() => openPostgres(pooler.url, { poolSize: 1 }));
  const rounds = Array.from({ length: 20 }, (_, n) => n);
  const seen = await Promise.all(
    rounds.flatMap(() => [
      ...(['alice', 'bob'] as const).map((name) =>
        (name === 'alice' ? alice : bob)!.transaction(async (tx) => {
          await actAs(tx, name);
          return (await actorOf(tx)) === `person:${name}`;
        }),
      ),
      actorOf(nobody!).then((actor) => actor === itself),
    ]),
  );
  expect(seen).toEqual(Array(60).fill(true));
  await Promise.all([alice, bob, nobody].map((db) => db!.close()));
});
