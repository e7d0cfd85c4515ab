/** The promise: a token gives the rights of its person and no more, to nobody else, and is never stored or shown. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { hashAccessToken, newAccessToken } from '../../src/core/secrets/access-token.ts';
import { maskSecrets } from '../../src/core/secrets/secrets.ts';
import { openLogin } from '../../src/http/login/login.ts';
import { asVisitor, type Visitor } from '../../src/http/login/visitor.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { askPerson } from '../../src/store/transcript/approvals.ts';
import { askOf } from '../support/ask-of.ts';
import { beginFocus, recordCalls } from '../support/begun-focus.ts';
import { testDatabase } from '../support/database.ts';
import { createToken, visitorFor } from '../support/people.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
const opened: Database[] = [];
const as = async (roles: string) => {
  const db = openPostgres(await createLogin(target.connectionString, roles, logins), { poolSize: 2 });
  opened.push(db);
  return db;
};
let gateway: Database;
let olga: Visitor;
beforeAll(async () => {
  gateway = await as('animus_gateway');
  olga = await visitorFor(target.database, 'olga', 'operator');
});
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()));
  await dropLogins(logins);
});
const act = (visitor: Visitor, sql: string, params: readonly unknown[] = []) =>
  asVisitor(gateway, visitor, (tx) => tx.query(sql, params));

test.each(['animus_submitter', 'animus_reader', 'animus_operator', 'animus_daemon'])(
  '%s cannot act with a token, although it knows its hash',
  async (role) => {
    const db = await as(role);
    const { secret } = await createToken(target.database, 'olga');
    await expect(db.query('select animus.act_with_token($1)', [hashAccessToken(secret)])).rejects.toMatchObject({
      code: 'db.forbidden',
    });
    await target.database.query(`grant execute on function animus.act_with_token to "${logins.at(-1)}"`);
    await expect(db.query('select animus.act_with_token($1)', [hashAccessToken(secret)])).rejects.toThrow(
      /may not act for anybody else/,
    );
    await target.database.query(`revoke execute on function animus.act_with_token from "${logins.at(-1)}"`);
  },
);

test('nobody but the owner can read a hash, also not through a function or a view', async () => {
  for (const role of ['animus_reader', 'animus_operator', 'animus_daemon', 'animus_gateway']) {
    const db = await as(role);
    for (const sql of [
      'select token_hash from animus.tokens',
      'select * from animus.tokens',
      'select t from animus.tokens t',
    ]) {
      await expect(db.query(sql)).rejects.toMatchObject({ code: 'db.forbidden' });
    }
  }
});

test('a person raises neither its own role nor that of its token', async () => {
  const low = await openLogin({ database: gateway }).visitor(
    `Bearer ${(await createToken(target.database, 'olga', { role: 'reader' })).secret}`,
  );
  const hash = hashAccessToken(newAccessToken().reveal());
  for (const visitor of [low, olga]) {
    for (const sql of [
      `select animus.set_person('olga', 'operator')`,
      `select animus.set_person('olga', 'reader')`,
      `select animus.set_person('eve', 'operator')`,
      `select animus.set_person('*', 'operator')`,
      `insert into animus.people values ('eve', 'operator', 'eve', now())`,
      `update animus.tokens set role = null`,
    ]) {
      await expect(act(visitor, sql)).rejects.toMatchObject({ code: 'db.forbidden' });
    }
  }
  for (const [sql, code] of [
    [`select animus.create_token('olga', $1, p_role => 'operator')`, 'work.invalid'],
    [`select animus.create_token('bob', $1)`, 'db.forbidden'],
    [`select animus.set_person('bob', 'reader')`, 'db.forbidden'],
  ] as const) {
    await expect(act(low, sql, sql.includes('$1') ? [hash] : [])).rejects.toMatchObject({ code });
  }
  const [made] = await act(low, `select (animus.create_token('olga', $1)).id`, [hash]);
  const [token] = await target.database.query('select role, created_with from animus.tokens where id = $1', [
    (made as { id: string }).id,
  ]);
  expect(token).toEqual({ role: 'reader', created_with: low.tokenId });
  for (const sql of [
    `select animus.act_as('olga')`,
    `select animus.act_with_role('olga', 'operator')`,
    `select animus.act_as('bob')`,
  ]) {
    await expect(act(low, sql)).rejects.toMatchObject({ code: 'work.state' });
  }
  await expect(act(low, `select animus.pause('nobody')`)).rejects.toMatchObject({ code: 'db.forbidden' });
});

test('a gateway that is also the login of an operator gives a person nothing of it', async () => {
  const powerful = await as('animus_gateway, animus_operator, animus_daemon');
  const bob = await visitorFor(target.database, 'bob');
  for (const sql of [
    `select animus.create_token('alice', sha256('x'))`,
    `select animus.set_person('bob', 'reader')`,
    `select animus.pause('nobody')`,
  ]) {
    await expect(asVisitor(powerful, bob, (tx) => tx.query(sql))).rejects.toMatchObject({ code: 'db.forbidden' });
  }
  const promote = `select animus.set_person('bob', 'operator')`;
  await expect(asVisitor(powerful, olga, (tx) => tx.query(promote))).rejects.toThrow(
    /may not change who is an operator/,
  );
  // Nor does the setting of a token that is not the one that acts.
  await expect(
    powerful.transaction(async (tx) => {
      await tx.query(`select animus.act_as('bob')`);
      await tx.query(
        `select set_config('animus.acts_with', extract(epoch from transaction_timestamp())::text || ' ' || $1, true)`,
        [olga.tokenId],
      );
      await tx.query(`select animus.create_token('bob', sha256('x'))`);
    }),
  ).rejects.toThrow(/without a token of animus/);
});

test('the role that was given for a transaction does not outlive it, and a value of another form counts for nothing', async () => {
  const single = openPostgres(await createLogin(target.connectionString, 'animus_gateway', logins), { poolSize: 1 });
  opened.push(single);
  const actor = (db: Queryable) => db.query<{ actor: string }>('select animus.actor(), animus.acting_role() as role');
  await asVisitor(single, olga, (tx) => tx.query('select 1'));
  expect(await actor(single)).toEqual([{ actor: logins.at(-1), role: null }]);
  const actorWith = (value: string) =>
    single.transaction(async (tx) => {
      await tx.query(
        `select set_config('animus.acts_as', extract(epoch from transaction_timestamp())::text || ${value}, true)`,
      );
      return actor(tx);
    });
  const names = ["' olga' || chr(10)", "' ' || repeat('o', 201)", "' '", "' o' || chr(7)"];
  for (const value of ["' olga owner'", "' olga operator x'", "' olga  operator'", ...names]) {
    expect(await actorWith(value)).toEqual([{ actor: logins.at(-1), role: null }]);
  }
  expect(await actorWith("' ' || repeat('o', 200)")).toMatchObject([{ actor: `person:${'o'.repeat(200)}` }]);
});

test('an operator approves, denies, steers and cancels through a gateway, and each decision names the person', async () => {
  const rita = await visitorFor(target.database, 'rita', 'reader');
  const work = await beginFocus(target.database);
  await recordCalls(target.database, work, 1, ['c1', 'c2'], 'bash');
  for (const call of ['c1', 'c2']) {
    await askPerson(target.database, work.key, 1, call, 'approval', {
      subject: 'tool_call',
      request: { reason: 'a rule', gate: 'permissions' },
      seconds: 60,
    });
  }
  const calls = [
    `select animus.approve($1, '${await askOf(target.database, work.id, 'c1')}', 'go on')`,
    `select animus.deny($1, '${await askOf(target.database, work.id, 'c2')}', 'not this')`,
    `select animus.say($1, 'Hurry up')`,
    `select animus.cancel_work($1, 'enough')`,
  ];
  for (const sql of calls) await expect(act(rita, sql, [work.id])).rejects.toMatchObject({ code: 'db.forbidden' });
  for (const sql of calls) await act(olga, sql, [work.id]);
  const decisions = await target.database.query(
    'select action, decided_by from animus.decisions where work_item_id = $1 order by id',
    [work.id],
  );
  expect(decisions).toEqual(
    ['approve', 'deny', 'steer', 'cancel'].map((action) => ({ action, decided_by: 'person:olga' })),
  );
});

test("an operator finds the memories of others; an operator's work does not, and changes none", async () => {
  const bob = await visitorFor(target.database, 'bob');
  const [memory] = await act(bob, `select memory_id as id from animus.store_memory('Bob likes green tea')`);
  const found = (visitor: Visitor, item: unknown = null) =>
    act(visitor, `select content from animus.search_memories('tea', $1::uuid)`, [item]);
  expect(await found(olga)).toHaveLength(1);
  expect(await found(await visitorFor(target.database, 'carl'))).toEqual([]);
  const [item] = await act(olga, `select id from animus.submit_work('engineer')`);
  expect(await found(olga, item!['id'])).toEqual([]);
  await expect(
    target.database.query(`select animus.update_memory($1, 'Bob likes coal', p_item => $2)`, [
      memory!['id'],
      item!['id'],
    ]),
  ).rejects.toMatchObject({ code: 'work.not_found' });
});

test('a token is masked wherever a text is logged', () => {
  const secret = newAccessToken().reveal();
  expect(maskSecrets(`a request with ${secret} failed`)).toBe('a request with [secret] failed');
  expect(maskSecrets(JSON.stringify({ header: `bearer ${secret}` }))).not.toContain(secret.slice(7, 20));
});
