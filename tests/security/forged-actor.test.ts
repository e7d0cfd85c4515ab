/** The promise: nobody acts as somebody else. Only a gateway names a person, and no setting, function or name of a login imitates that. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database, Queryable } from '../../src/store/sql/database.ts';
import { asAdmin, testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
const opened: Database[] = [];
async function login(role: string): Promise<{ readonly db: Database; readonly name: string }> {
  const db = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
  opened.push(db);
  return { db, name: logins.at(-1)! };
}

/** A value as act_as stores it, made for this very transaction. */
const FORGED = `select set_config('animus.acts_as', extract(epoch from transaction_timestamp())::text || ' alice', $1)`;
const actorOf = async (db: Queryable) => (await db.query<{ actor: string }>('select animus.actor()'))[0]!.actor;
const submit = async (db: Queryable) => {
  const [row] = await db.query<{ id: string }>(
    `insert into animus.own_work (faculty) values ('engineer') returning id`,
  );
  return row!.id;
};
const submitterOf = async (id: string) =>
  (await target.database.query('select submitted_by from animus.work_items where id = $1', [id]))[0]!['submitted_by'];

let alices: string;
beforeAll(async () => {
  const gateway = await login('animus_gateway');
  alices = await gateway.db.transaction(async (tx) => {
    await tx.query(`select animus.act_as('alice')`);
    return submit(tx);
  });
  expect(await submitterOf(alices)).toBe('person:alice');
});
afterAll(async () => {
  await Promise.all(opened.map((db) => db.close()));
  for (const name of logins) await target.database.query(`drop owned by "${name}"`);
  await dropLogins(logins);
});

test.each(['animus_submitter', 'animus_operator', 'animus_daemon'])('%s: the setting has no effect', async (role) => {
  const { db, name } = await login(role);
  for (const local of [true, false]) {
    const id = await db.transaction(async (tx) => {
      await tx.query(FORGED, [local]);
      expect(await actorOf(tx)).toBe(name);
      expect(await tx.query('select from animus.own_work where id = $1', [alices])).toEqual([]);
      return submit(tx);
    });
    expect(await submitterOf(id)).toBe(name);
  }
});

test.each(['animus_submitter', 'animus_reader', 'animus_operator', 'animus_daemon'])(
  '%s may not call act_as',
  async (role) => {
    const { db } = await login(role);
    await expect(db.query(`select animus.act_as('alice')`)).rejects.toMatchObject({ code: 'db.forbidden' });
  },
);

test('a login that has the right to call act_as, and is not a gateway, may not', async () => {
  const { db, name } = await login('animus_submitter');
  await target.database.query(`grant execute on function animus.act_as to "${name}"`);
  await expect(db.query(`select animus.act_as('alice')`)).rejects.toThrow(/may not act for anybody else/);
});

test('functions of the same names and a search path before ours have no effect', async () => {
  const { db, name } = await login('animus_submitter');
  await target.database.query(`create schema trap authorization "${name}"`);
  for (const sql of [
    `create function trap.current_setting(text, boolean) returns text language sql as $$ select extract(epoch from transaction_timestamp())::text || ' alice' $$`,
    `create function trap.current_setting(text) returns text language sql as $$ select extract(epoch from transaction_timestamp())::text || ' alice' $$`,
    `create function trap.pg_has_role(name, oid, text) returns boolean language sql as 'select true'`,
    `create function trap.starts_with(text, text) returns boolean language sql as 'select true'`,
    `create function trap.actor() returns text language sql as $$ select 'person:alice' $$`,
    `create function trap.differs(text, text) returns boolean language sql as 'select false'`,
    `create operator trap.<> (leftarg = text, rightarg = text, function = trap.differs)`,
    `create operator trap.!~ (leftarg = text, rightarg = text, function = trap.differs)`,
    'set search_path = trap, animus, pg_catalog',
  ]) {
    await db.query(sql);
  }
  expect(await actorOf(db)).toBe(name);
  expect(await db.query('select from animus.own_work')).toEqual([]);
  expect(await submitterOf(await submit(db))).toBe(name);
  await expect(db.query('select animus.cancel_work($1)', [alices])).rejects.toMatchObject({ code: 'work.not_found' });
  await expect(db.query('select animus.watch_work($1)', [alices])).rejects.toMatchObject({ code: 'work.not_found' });
});

test('a login that is named like a person is another actor', async () => {
  const suffix = randomBytes(4).toString('hex');
  const name = `person:${suffix}`;
  await asAdmin((admin) => admin.query(`create role "${name}" login password 'p' in role animus_submitter`));
  const url = new URL(target.connectionString);
  [url.username, url.password] = [encodeURIComponent(name), 'p'];
  const imitator = openPostgres(url.href, { poolSize: 1 });
  const gateway = await login('animus_gateway');
  const id = await submit(imitator);
  expect(await submitterOf(id)).toBe(`login:person:${suffix}`);
  await gateway.db.transaction(async (tx) => {
    await tx.query('select animus.act_as($1)', [suffix]);
    expect(await tx.query('select from animus.own_work where id = $1', [id])).toEqual([]);
  });
  await imitator.close();
  await asAdmin((admin) => admin.query(`drop role "${name}"`));
});
