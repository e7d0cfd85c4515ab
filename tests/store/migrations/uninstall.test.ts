/** Promise: the statements of docs/operations.md remove animus from a database, and nothing that others use. */
import { afterEach, beforeEach, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { ROLES, rolesState } from '../../../src/store/migrations/roles.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { pageBlock } from '../../support/page-block.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';

const SCHEMAS = pageBlock('operations.md', 'drop schema if exists animus cascade');
const DROP_ROLES = pageBlock('operations.md', `execute format('drop role %I'`);

let server: PostgresServer;
const opened: Database[] = [];
// For each try: roles belong to the whole server.
beforeEach(async () => {
  server = await startPostgresServer();
});
afterEach(async () => {
  await Promise.all(opened.splice(0).map((db) => db.close()));
  await server?.stop();
});

async function installed(name: string): Promise<Database> {
  const admin = open('postgres');
  await admin.query(`create database ${name}`);
  const db = open(name);
  await migrate(db);
  return db;
}

function open(name: string): Database {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  const db = openPostgres(url.href, { poolSize: 1 });
  opened.push(db);
  return db;
}

test('of two databases: first one with queues of others, whose roles the second still uses, then the last', async () => {
  const [first, second] = [await installed('first'), await installed('second')];
  await first.query(`create table invoices (id int, check_id uuid references animus.work_items)`);
  await first.query(`create view open_work as select id from animus.work_items`);
  await first.query(
    `create function check_invoice() returns void language sql as $$ select animus.submit_work('clerk') $$`,
  );
  await first.query(`select pgmq.create('mails')`);
  await first.query(`select pgmq.send('mails', '{"to": "ada"}'::jsonb)`);
  await first.query(`insert into invoices select 1, id from animus.submit_work('clerk')`);
  await first.query('create role shop login in role animus_submitter');
  expect(await rowsOf(first, pageBlock('operations.md', 'conrelid::regclass'))).toEqual([
    { table: 'invoices', conname: 'invoices_check_id_fkey' },
    { view: 'open_work' },
    { function: 'check_invoice()' },
  ]);

  await first.query(SCHEMAS);
  await first.query(DROP_ROLES);
  expect(await schemasOf(first)).toEqual(['pgmq', 'public']);
  expect(
    await first.query(
      `select c.relname from pg_class c where c.relnamespace = 'pgmq'::regnamespace and c.relname ~ '(work|inbox)' and c.relkind = 'r'`,
    ),
  ).toEqual([]);
  expect(await first.query('select message from pgmq.q_mails')).toEqual([{ message: { to: 'ada' } }]);
  expect(await first.query('select id, check_id is not null as kept from invoices')).toEqual([{ id: 1, kept: true }]);
  expect(await rightsIn(first)).toEqual([]);
  expect(await rolesState(second)).toEqual({ missing: [], ungranted: [] });
  await second.query(`set role shop; insert into animus.own_work (faculty) values ('clerk'); reset role`);

  // Twice does no harm, and neither does a part that was dropped before.
  await first.query(SCHEMAS);
  await second.query('drop schema animus cascade');
  await second.query(SCHEMAS);
  await second.query(DROP_ROLES);
  expect(await schemasOf(second)).toEqual(['public']);
  expect((await rolesState(second)).missing).toEqual(ROLES);
  expect(await second.query(`select rolcanlogin from pg_roles where rolname = 'shop'`)).toEqual([
    { rolcanlogin: true },
  ]);
  // Installed again, it works.
  expect((await migrate(first)).applied.length).toBeGreaterThan(60);
  await first.query(`insert into animus.work_items (faculty) values ('clerk')`);
});

/** What each of the statements returns, one after the other. */
async function rowsOf(db: Database, statements: string): Promise<readonly object[]> {
  const rows: object[] = [];
  for (const statement of statements.split(';').filter((one) => one.trim() !== '')) {
    rows.push(...(await db.query(statement)));
  }
  return rows;
}

async function schemasOf(db: Database): Promise<readonly string[]> {
  const rows = await db.query<{ name: string }>(
    `select nspname as name from pg_namespace where nspname !~ '^pg_' and nspname <> 'information_schema' order by 1`,
  );
  return rows.map(({ name }) => name);
}

/** What in this database depends on the roles of animus. */
async function rightsIn(db: Database): Promise<readonly object[]> {
  return db.query(
    `select d.classid::regclass::text as class, d.objid, d.refobjid::regrole::text as role from pg_shdepend d
      where d.refclassid = 'pg_authid'::regclass and d.refobjid in (select oid from pg_roles where rolname = any ($1))
        and d.dbid = (select oid from pg_database where datname = current_database())`,
    [ROLES],
  );
}
