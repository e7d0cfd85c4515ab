/** Who a token stands for, and what it may do from one transaction to the next. */
import { inspect } from 'node:util';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashAccessToken, newAccessToken } from '../../../src/core/secrets/access-token.ts';
import { revokeToken, setPerson } from '../../../src/features/people/store.ts';
import { openLogin } from '../../../src/http/login/login.ts';
import { asVisitor, type Visitor } from '../../../src/http/login/visitor.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';
import { createPerson, createToken, visitorFor } from '../../support/people.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
let gateway: Database;
beforeAll(async () => {
  gateway = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 2 });
});
afterAll(async () => {
  await gateway.close();
  await dropLogins(logins);
});

const submit = async (tx: Queryable) =>
  (await tx.query<{ id: string }>(`select id from animus.submit_work('engineer', 'Fix it')`))[0]!.id;
const act = (visitor: Visitor, sql: string, params: readonly unknown[] = []) =>
  asVisitor(gateway, visitor, (tx) => tx.query(sql, params));
const login = (secret: string) => openLogin({ database: gateway }).visitor(`Bearer ${secret}`);

test('a token acts for its person, with its role and scopes', async () => {
  await createPerson(target.database, 'alice', 'reader');
  const expiresAt = new Date(Date.now() + 3_600_000);
  const { id, secret } = await createToken(target.database, 'alice', { scopes: ['read'], expiresAt });
  const visitor = await login(secret);
  expect(visitor).toMatchObject({
    actor: 'person:alice',
    person: 'alice',
    role: 'reader',
    scopes: ['read'],
    tokenId: id,
  });
  expect(visitor.expiresAt).toEqual(expiresAt);
  const work = await asVisitor(gateway, visitor, submit);
  expect(await target.database.query('select submitted_by from animus.work_items where id = $1', [work])).toEqual([
    { submitted_by: 'person:alice' },
  ]);
  expect(await gateway.query('select animus.actor() <> $1 as over', ['person:alice'])).toEqual([{ over: true }]);
});

test('the role is the lower one of the person and the token', async () => {
  await createPerson(target.database, 'olga', 'operator');
  for (const role of ['submitter', 'reader', 'operator'] as const) {
    const { secret } = await createToken(target.database, 'olga', { role });
    const visitor = await login(secret);
    expect(visitor.role).toBe(role);
    const pause = act(visitor, `select animus.pause('nobody')`);
    await (role === 'operator' ? pause : expect(pause).rejects.toMatchObject({ code: 'db.forbidden' }));
    expect(await act(visitor, 'select animus.sees_all()')).toEqual([{ sees_all: role !== 'submitter' }]);
  }
  await expect(createToken(target.database, 'bob', { role: 'operator' })).resolves.toBeDefined();
  await createPerson(target.database, 'carl', 'submitter');
  await expect(createToken(target.database, 'carl', { role: 'reader' })).rejects.toThrow(
    /carl has role submitter, so a token of role reader would not have more rights/,
  );
});

test('a role that is lowered, a person that is disabled and a token that is revoked count from the next transaction on', async () => {
  await createPerson(target.database, 'dora', 'operator');
  const { id, secret } = await createToken(target.database, 'dora');
  const visitor = await login(secret);
  await act(visitor, `select animus.pause('nobody')`);
  await setPerson(target.database, 'dora', { role: 'reader' });
  await expect(act(visitor, `select animus.resume('nobody')`)).rejects.toMatchObject({ code: 'db.forbidden' });
  await act(visitor, 'select 1');

  await setPerson(target.database, 'dora', { disabled: true });
  await expect(act(visitor, 'select 1')).rejects.toThrow('dora is disabled');
  await expect(login(secret)).rejects.toMatchObject({ code: 'http.unauthorized' });
  await setPerson(target.database, 'dora', { disabled: false });
  await act(visitor, 'select 1');

  await revokeToken(target.database, id);
  await expect(act(visitor, 'select 1')).rejects.toThrow('the token has been revoked');
  await expect(login(secret)).rejects.toMatchObject({ code: 'http.unauthorized' });
});

test('an expired token is refused', async () => {
  const { id, secret } = await createToken(target.database, 'erik');
  const visitor = await login(secret);
  await target.database.query(`update animus.tokens set expires_at = now() - interval '1 second' where id = $1`, [id]);
  await expect(login(secret)).rejects.toThrow('the token has expired');
  await expect(act(visitor, 'select 1')).rejects.toMatchObject({ code: 'http.unauthorized' });
});

test('who is not listed is a submitter, or what `*` says', async () => {
  const visitor = { ...(await visitorFor(target.database, 'fred')), person: 'nobody-listed', proof: null };
  const role = () => act(visitor, 'select animus.acting_role()');
  expect(await role()).toEqual([{ acting_role: 'submitter' }]);
  await setPerson(target.database, '*', { role: 'operator' });
  expect(await role()).toEqual([{ acting_role: 'submitter' }]);
  expect(
    await asVisitor(gateway, { ...visitor, role: 'reader' }, (tx) => tx.query('select animus.acting_role()')),
  ).toEqual([{ acting_role: 'reader' }]);
  await setPerson(target.database, '*', { disabled: true });
  await expect(role()).rejects.toThrow('nobody-listed is disabled');
  await act(await visitorFor(target.database, 'fred'), 'select 1');
  await setPerson(target.database, '*', { role: 'submitter', disabled: false });
});

test('the last use is written once a minute, and no request waits for it', async () => {
  const { id, secret } = await createToken(target.database, 'gina');
  const used = async () =>
    (
      await target.database.query<{ at: Date | null }>('select last_used_at as at from animus.tokens where id = $1', [
        id,
      ])
    )[0]!.at;
  expect(await used()).toBeNull();
  const visitor = await login(secret);
  const first = await used();
  expect(first).not.toBeNull();
  await act(visitor, 'select 1');
  expect(await used()).toEqual(first);
  await target.database.query(`update animus.tokens set last_used_at = now() - interval '2 minutes' where id = $1`, [
    id,
  ]);
  await asVisitor(gateway, visitor, async () => {
    // The row is locked by this transaction, which has not committed.
    await act(visitor, 'select 1');
  });
  expect(await used()).not.toEqual(first);
  expect(Date.now() - (await used())!.getTime()).toBeLessThan(60_000);
});

test.each([
  [undefined, /a token is needed/],
  ['', /is not: Bearer TOKEN/],
  ['Bearer', /is not: Bearer TOKEN/],
  ['Basic YWxpY2U6cA==', /is not: Bearer TOKEN/],
  ['Bearer a b', /is not: Bearer TOKEN/],
  ['Bearer ä', /is not: Bearer TOKEN/],
  [`Bearer ${'x'.repeat(20_000)}`, /is not: Bearer TOKEN/],
  ['Bearer nonsense', /the token is not valid/],
  [`Bearer ${newAccessToken().reveal()}`, /the token is not valid/],
])('the header %j is refused', async (header, why) => {
  await expect(openLogin({ database: gateway }).visitor(header)).rejects.toThrow(why);
});

test('a token that was cut, lengthened or changed is recognised without a statement', async () => {
  const secret = newAccessToken().reveal();
  expect(hashAccessToken(secret)).toHaveLength(32);
  const at = secret.length - 20;
  const changed = secret.slice(0, at) + (secret[at] === 'A' ? 'B' : 'A') + secret.slice(at + 1);
  for (const text of [secret.slice(0, -1), `${secret}A`, changed, secret.toUpperCase(), ` ${secret}`, `${secret}\n`]) {
    expect(hashAccessToken(text)).toBeNull();
  }
  const silent: Database = { ...gateway, query: () => Promise.reject(new Error('a statement')) };
  await expect(openLogin({ database: silent }).visitor(`Bearer ${changed}`)).rejects.toThrow('the token is not valid');
});

test('a visitor does not print what proves it', async () => {
  const visitor = await visitorFor(target.database, 'hugo');
  const hash = visitor.proof!.reveal();
  expect(inspect(visitor, { depth: 9 }) + JSON.stringify(visitor) + String(visitor.proof)).not.toContain(hash);
});
