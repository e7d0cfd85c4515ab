import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { isAnimusError } from '../../../src/core/errors/errors.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { ROLES, rolesState } from '../../../src/store/migrations/roles.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { asAdmin, databaseUrl, testDatabase } from '../../support/database.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { insertWork } from '../work/queue-driver.ts';
import { TOLD } from './told-rights.ts';

type Role = (typeof ROLES)[number];

const target = testDatabase();

describe('the table of docs/sql-api.md matches the rights in the database', () => {
  test.each(ROLES)('%s: functions', async (role) => {
    const functions = await target.database.query<{ name: string; definer: boolean; may: boolean }>(
      `select proname as name, prosecdef as definer, has_function_privilege($1, oid, 'execute') as may from pg_proc
        where pronamespace = 'animus'::regnamespace and prokind = 'f' and prorettype <> 'trigger'::regtype`,
      [role],
    );
    const listed = TOLD.filter(({ kind, names }) => kind === 'call' && names.length > 0);
    const named = new Set(listed.flatMap(({ names }) => names));
    const told = new Set(listed.filter(({ roles }) => roles.includes(role)).flatMap(({ names }) => names));
    const rest = TOLD.find(({ kind, names }) => kind === 'call' && names.length === 0)!;
    const expected = functions.filter(({ name, definer }) =>
      named.has(name) ? told.has(name) : definer && name !== 'require_operator' && rest.roles.includes(role),
    );
    expect(namesOf(functions.filter(({ may }) => may))).toEqual(namesOf(expected));
    expect(expected.length).toBeGreaterThan(0);
  });

  test.each(ROLES)('%s: tables and views', async (role) => {
    const rights = await target.database.query<{ name: string; right: string }>(
      `select c.relname as name, p.right from pg_class c, unnest(array['select', 'insert', 'update', 'delete', 'truncate', 'references', 'trigger']) p ("right")
        where c.relnamespace = 'animus'::regnamespace and c.relkind in ('r', 'v') and has_table_privilege($1, c.oid, p.right)`,
      [role],
    );
    const tables = await target.database.query<{ name: string }>(
      `select relname as name from pg_class where relnamespace = 'animus'::regnamespace and relkind in ('r', 'v')`,
    );
    const expected = TOLD.filter(({ kind, roles }) => kind !== 'call' && roles.includes(role)).flatMap(
      ({ kind, names }) => {
        // Of these, they read all columns but the hash.
        const hashed = ['tokens', 'login_links'];
        const of = names.length > 0 ? names : tables.map(({ name }) => name).filter((name) => !hashed.includes(name));
        const given = { 'insert into': ['insert'], read: ['select'], write: ['insert', 'update', 'delete'] }[kind]!;
        return of.flatMap((name) => given.map((right) => `${right} ${name}`));
      },
    );
    expect([...new Set(rights.map(({ name, right }) => `${right} ${name}`))].toSorted()).toEqual(
      [...new Set(expected)].toSorted(),
    );
  });

  test('they may change no sequence, no schema and no table of the queue', async () => {
    const rights = await target.database.query(
      `select r.rolname, c.relname from pg_roles r, pg_class c
        where r.rolname = any ($1::text[]) and c.relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace)
          and case when c.relkind = 'S' then has_sequence_privilege(r.oid, c.oid, 'usage, update')
                   when c.relkind = 'r' and c.relnamespace = 'pgmq'::regnamespace then has_table_privilege(r.oid, c.oid, 'insert, update, delete, truncate') end
       union all select r.rolname, n.nspname from pg_roles r, pg_namespace n
        where r.rolname = any ($1::text[]) and n.nspname in ('animus', 'pgmq') and has_schema_privilege(r.oid, n.oid, 'create')`,
      [ROLES],
    );
    expect(rights).toEqual([]);
  });
});

describe('real logins', () => {
  const logins: string[] = [];
  const as = {} as Record<Role, Database>;
  let id: string;
  beforeAll(async () => {
    for (const role of ROLES) {
      as[role] = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
    }
    id = await insertWork(target.database);
  });
  afterAll(async () => {
    await Promise.all(ROLES.map((role) => as[role].close()));
    await dropLogins(logins);
  });

  const [SUBMITTER, READER, OPERATOR, DAEMON, GATEWAY] = ROLES;
  const CALLS: readonly [string, readonly Role[]][] = [
    [`insert into animus.own_work (faculty) values ('engineer') returning id`, [SUBMITTER, OPERATOR, DAEMON, GATEWAY]],
    ['select * from animus.own_work', ROLES],
    ['select * from animus.own_ledger', ROLES],
    ['update animus.own_work set description = null', []],
    [`insert into animus.work_items (faculty) values ('engineer')`, [SUBMITTER, OPERATOR, DAEMON]],
    [`select animus.submit_work('engineer')`, [SUBMITTER, OPERATOR, DAEMON, GATEWAY]],
    ['select animus.actor()', ROLES],
    [`select animus.act_as('alice')`, [GATEWAY]],
    ['select * from animus.audit', [READER, OPERATOR, DAEMON]],
    ['select * from animus.deleted_work', [READER, OPERATOR, DAEMON]],
    [`insert into animus.decisions (action, decided_by, created_at) values ('cancel', 'x', now())`, []],
    ['select * from animus.work_items', [READER, OPERATOR, DAEMON]],
    ['select * from animus.turns', [READER, OPERATOR, DAEMON]],
    ['select * from pgmq.q_animus_work', [READER, OPERATOR, DAEMON]],
    ['select animus.status()', [READER, OPERATOR, DAEMON]],
    [`update animus.work_items set priority = 9`, []],
    [`update animus.work_items set state = 'completed', outcome = '{}', cost_usd = 0`, []],
    [`delete from animus.work_items`, []],
    [`insert into animus.active_keys values ('engineer', 'k', gen_random_uuid())`, []],
    [`insert into animus.work_ledger values (gen_random_uuid(), 1, 'note', 'x', null, null, now())`, []],
    [`delete from animus.decisions`, []],
    [`select nextval('animus.lease_tokens')`, []],
    [`delete from pgmq.q_animus_work`, []],
    [`select animus.end_works(array[gen_random_uuid()], 'completed', null, null, null, null)`, []],
    [`create table animus.mine (id int)`, []],
    [
      `insert into animus.schedules (name, cron, faculty) values ('n' || gen_random_uuid(), '0 0 * * *', 'engineer')`,
      [OPERATOR],
    ],
    [`select animus.append_ledger($1, 'note', 'urgent')`, [OPERATOR]],
    [`select animus.pause('nobody')`, [OPERATOR]],
    [`select animus.resume('nobody')`, [OPERATOR]],
    [
      `with own as (select id from animus.submit_work('engineer')) select animus.cancel_work(id) from own`,
      [SUBMITTER, OPERATOR, GATEWAY],
    ],
    [`select animus.erase_note(id) from animus.decisions`, [OPERATOR]],
    [`select animus.cancel_work($1), animus.retry_work($1)`, [OPERATOR]],
    [`select animus.retry_work(gen_random_uuid()) where false`, [OPERATOR, GATEWAY]],
    [`select animus.act_with_role('alice', 'operator')`, [GATEWAY]],
    [`select token_hash from animus.tokens`, []],
    [`select link_hash from animus.login_links`, []],
    [`select id, person, role, last_used_at from animus.tokens`, [READER, OPERATOR, DAEMON]],
    [`select animus.set_person('bob', 'reader')`, [OPERATOR]],
    [`select animus.create_token('bob', sha256(gen_random_uuid()::text::bytea))`, [OPERATOR]],
    [`select animus.create_login_link('bob', sha256(gen_random_uuid()::text::bytea))`, [OPERATOR]],
    [`update animus.people set role = 'operator'`, []],
    [`insert into animus.people values ('eve', 'operator', 'eve', now())`, []],
    [`select * from animus.claim_work(gen_random_uuid(), '{}', 1, '1 minute')`, [DAEMON]],
    [`select animus.register_daemon(gen_random_uuid(), 'h', 1, '1', 1, '{}', '[]')`, [DAEMON]],
  ];
  test.each(CALLS.flatMap(([sql, may]) => ROLES.map((role) => [role, sql, may.includes(role)] as const)))(
    '%s: %s: %s',
    async (role, sql, may) => {
      const done = as[role].query(sql, sql.includes('$1') ? [id] : []).then(
        () => 'done',
        (error: unknown) => (isAnimusError(error) ? error.code : error),
      );
      // A gateway without a person learns nothing about other people's work, not even that it exists.
      const refused = role === 'animus_gateway' && sql.includes('cancel_work($1)') ? 'work.not_found' : 'db.forbidden';
      expect(await done).toBe(may ? 'done' : refused);
    },
  );

  test('a refusal names the missing right and how to get rights', async () => {
    await expect(as.animus_reader.query(`insert into animus.work_items (faculty) values ('engineer')`)).rejects.toThrow(
      /lacks a permission at .*: permission denied for table work_items; the login \w+ has animus_reader, and this needs animus_submitter or animus_operator; an administrator grants it: grant animus_submitter to animus_test_/,
    );
    const look = as.animus_submitter.transaction((tx) => tx.query('select from animus.foci'));
    await expect(look).rejects.toThrow(
      /permission denied for table foci; the login \w+ has animus_submitter, and this needs animus_reader or animus_operator; .*What it has submitted itself it sees with: animus work list/,
    );
    await expect(as.animus_submitter.query('select animus.pause()')).rejects.toThrow(
      /permission denied for function pause; the login \w+ has animus_submitter, and this needs animus_operator; an administrator grants it/,
    );
    // A daemon needs the function for its foci; without a lease, only an operator may use it.
    await expect(as.animus_daemon.query(`select animus.append_ledger($1, 'note', 'x')`, [id])).rejects.toThrow(
      /may not act as an operator of animus; grant animus_operator to the role/,
    );
  });

  test("no inserter can set the engine's columns, whatever its role", async () => {
    for (const column of [`state`, `lease_token`, `outcome`, `cost_usd`, `id`]) {
      const value = { state: `'completed'`, lease_token: '7', outcome: `'{}'`, cost_usd: '1', id: 'gen_random_uuid()' }[
        column
      ];
      for (const role of [SUBMITTER, OPERATOR, DAEMON]) {
        await expect(
          as[role].query(`insert into animus.work_items (faculty, ${column}) values ('engineer', ${value})`),
        ).rejects.toMatchObject({ code: 'work.invalid' });
      }
    }
  });
});

describe('a role that may not create roles', () => {
  const owner = `animus_test_owner_${randomBytes(4).toString('hex')}`;
  const name = `animus_test_${randomBytes(6).toString('hex')}`;
  let database: Database;
  beforeAll(async () => {
    await asAdmin(async (admin) => {
      await admin.query(`create role ${owner} login password 'p'`);
      await admin.query(`create database ${name} template template0 owner ${owner}`);
    });
    const url = new URL(databaseUrl(name));
    [url.username, url.password] = [owner, 'p'];
    database = openPostgres(url.href);
  });
  afterAll(async () => {
    await database.close();
    await asAdmin(async (admin) => {
      await admin.query(`drop database ${name}`);
      await admin.query(`drop role ${owner}`);
    });
  });

  test('migrates anyway, and grants rights to existing roles', async () => {
    await migrate(database);
    // They exist because of other databases on the test server: roles belong to the whole server.
    expect(await rolesState(database)).toEqual({ missing: [], ungranted: [] });
    await insertWork(database);
    await database.query('revoke usage on schema animus from animus_reader');
    expect(await rolesState(database)).toMatchObject({ ungranted: ['animus_reader'] });
    await migrate(database);
    expect(await rolesState(database)).toEqual({ missing: [], ungranted: [] });
  });

  test('a member of animus_daemon changes nothing, and gets an error if the schema is too old', async () => {
    const logins: string[] = [];
    const url = await createLogin(databaseUrl(name), 'animus_daemon', logins);
    const daemon = openPostgres(url);
    expect(await migrate(daemon)).toMatchObject({ applied: [], functions: [] });
    await database.query(
      'delete from animus.schema_migrations where version = (select max(version) from animus.schema_migrations)',
    );
    await expect(migrate(daemon)).rejects.toMatchObject({
      code: 'db.schema_older',
      message: expect.stringContaining(`run: animus db migrate as the schema's owner ${owner} (${logins[0]} may not)`),
    });
    await daemon.close();
    await dropLogins(logins);
  });
});

function namesOf(functions: readonly { readonly name: string }[]): string[] {
  return [...new Set(functions.map(({ name }) => name))].toSorted();
}
