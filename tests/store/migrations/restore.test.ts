/** Promise: a dump and `animus.role_statements()` are a whole backup. The roles of a server are shared, so the restored ones have other names. */
import { randomBytes } from 'node:crypto';
import { afterEach, expect, test } from 'vitest';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { dropLogins } from '../../support/role-login.ts';

const target = testDatabase();
const logins: string[] = [];
afterEach(() => dropLogins(logins.splice(0)));

test('roles are created again with passwords, memberships and limits; those that exist are left alone', async () => {
  const [shop, team, stranger] = ['shop', 'team', 'stranger'].map(
    (name) => `${name}_${randomBytes(4).toString('hex')}`,
  );
  logins.push(shop!, team!, stranger!);
  await asAdmin(async (admin) => {
    await admin.query(`create role ${team} nologin in role animus_submitter`);
    await admin.query(`create role ${shop} login password 'ge"h''eim' connection limit 3 in role ${team}`);
    await admin.query(`create role ${stranger} login password 'x'`);
  });
  const statements = await roleStatements(target.database);
  const about = (name: string) => statements.filter((line) => line.includes(name));
  expect(about(stranger!)).toEqual([]);
  expect(about('animus_gateway')[0]).toContain('create role animus_gateway nologin;');
  // A role that has a right of its own on a table is named by a dump, too.
  await target.database.query(`grant select on animus.work_items to ${stranger}`);
  expect((await roleStatements(target.database)).filter((line) => line.includes(stranger!))).toHaveLength(1);
  await target.database.query(`revoke select on animus.work_items from ${stranger}`);

  await asAdmin(async (admin) => {
    const before = await roleOf(admin, shop!);
    expect(before).toMatchObject({ password: expect.stringMatching(/^SCRAM|^md5/), limit: 3, groups: [team] });
    await admin.query(`drop role ${shop}`);
    await admin.query(`drop role ${team}`);
    // Twice: what is there stays as it is.
    const own = statements.filter((line) => line.includes(shop!) || line.includes(team!));
    for (const _ of [1, 2]) for (const line of own) await admin.query(line);
    expect(await roleOf(admin, shop!)).toEqual(before);
    await admin.query(`alter role ${shop} connection limit 9`);
    for (const line of about(shop!)) await admin.query(line);
    expect(await roleOf(admin, shop!)).toMatchObject({ limit: 9 });
  });
});

test('roles get their settings again, and the parameters that they may set; no value is more than a value', async () => {
  const role = `shop_${randomBytes(4).toString('hex')}`;
  logins.push(role);
  const hostile = `a';create/**/role/**/evil;$role$;drop--`;
  await asAdmin(async (admin) => {
    await admin.query(`create role ${role} login in role animus_submitter`);
    await admin.query(`alter role ${role} set animus.notify = off; alter role ${role} set animus.x = '${hostile.replace("'", "''")}';
      alter role ${role} set search_path = '$user', 'Q"', 'a, b', public; alter role ${role} set temp_tablespaces = '';
      alter role ${role} set DateStyle = 'ISO, DMY'; grant set on parameter log_min_duration_statement to ${role}`);
  });
  const own = (await roleStatements(target.database)).filter((line) => line.includes(role));
  const read = (admin: Database) =>
    admin.query(
      `select rolconfig as config, has_parameter_privilege(oid, 'log_min_duration_statement', 'set') as may from pg_roles where rolname = $1`,
      [role],
    );
  await asAdmin(async (admin) => {
    const before = await read(admin);
    expect(before[0]).toMatchObject({ may: true, config: expect.arrayContaining(['animus.notify=off']) });
    await admin.query(`revoke all on parameter log_min_duration_statement from ${role}`);
    await admin.query(`drop role ${role}`);
    for (const line of own) await admin.query(line);
    const after = await read(admin);
    await admin.query(`revoke all on parameter log_min_duration_statement from ${role}`);
    const sorted = (rows: typeof before) => [...(rows[0]!.config as string[])].toSorted();
    expect(sorted(after)).toEqual(sorted(before));
    expect(after[0]).toMatchObject({ may: true });
  });
});

test('whoever may not see passwords gets the statements without them', async () => {
  const reader = `owner_${randomBytes(4).toString('hex')}`;
  logins.push(reader);
  await asAdmin((admin) => admin.query(`create role ${reader} login password 'owner' in role animus_submitter`));
  await target.database.query(`grant usage on schema animus to ${reader}`);
  await target.database.query(`grant execute on function animus.role_statements(), animus.roles() to ${reader}`);
  const url = new URL(target.connectionString);
  [url.username, url.password] = [reader, 'owner'];
  const db = openPostgres(url.href, { poolSize: 1 });
  const statements = await roleStatements(db);
  await db.close();
  expect(statements.find((line) => line.includes(`create role ${reader}`))).toContain(`create role ${reader} login;`);
  expect(statements.join('')).not.toMatch(/SCRAM|md5/);
  await target.database.query(`revoke all on function animus.role_statements(), animus.roles() from ${reader}`);
  await target.database.query(`revoke all on schema animus from ${reader}`);
});

test('a dump can create the tables: functions of default and generated values call no others of which it does not know', async () => {
  const rows = await target.database.query<{ name: string; calls: boolean }>(
    `select distinct p.proname as name, p.prosrc ~ 'animus\\.' as calls from pg_depend d
       join pg_proc p on d.refclassid = 'pg_proc'::regclass and d.refobjid = p.oid
      where d.classid = 'pg_attrdef'::regclass and p.pronamespace = 'animus'::regnamespace order by 1`,
  );
  expect(rows.map(({ name }) => name)).toContain('memory_words');
  expect(rows.filter(({ calls }) => calls)).toEqual([]);
});

async function roleStatements(db: Database): Promise<readonly string[]> {
  const rows = await db.query<{ line: string }>('select line from animus.role_statements() line');
  return rows.map(({ line }) => line);
}

async function roleOf(admin: Database, name: string) {
  const [row] = await admin.query(
    `select a.rolpassword as password, a.rolconnlimit as limit, a.rolcanlogin as login,
            array(select m.roleid::regrole::text from pg_auth_members m where m.member = a.oid) as groups
       from pg_authid a where a.rolname = $1`,
    [name],
  );
  return row;
}
