/** Promise: with a pgmq that belongs to somebody else, animus works, or says which rights it lacks, on what, and who gives them. */
import { randomBytes } from 'node:crypto';
import { afterEach, beforeEach, expect, test } from 'vitest';
import { installPgmq } from '../../../src/store/migrations/extensions.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { missingPgmqRights } from '../../../src/store/migrations/pgmq-rights.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { run } from '../../cli/run-cli.ts';
import { asAdmin, databaseUrl } from '../../support/database.ts';
import { claimOne, insertWork } from '../work/queue-driver.ts';

let [team, app, name, url] = ['', '', '', ''];
let dba: Database;
let db: Database;

// For each try, because the tests take rights away.
beforeEach(async () => {
  [team, app, name] = ['team', 'app', 'db'].map((what) => `animus_test_${what}_${randomBytes(4).toString('hex')}`) as [
    string,
    string,
    string,
  ];
  await asAdmin((admin) => admin.query(`create database ${name} template template0`));
  dba = openPostgres(databaseUrl(name), { poolSize: 1 });
  await asAdmin((admin) => admin.query(`create role ${team}; create role ${app} login password 'p'`));
  await dba.query(`grant create on database ${name} to ${team}, ${app}`);
  await dba.transaction(async (tx) => {
    await tx.query(`set local role ${team}`);
    await installPgmq(tx);
    await tx.query('revoke execute on all functions in schema pgmq from public');
  });
  await dba.query('create publication warehouse for all tables');
  const login = new URL(databaseUrl(name));
  [login.username, login.password] = [app, 'p'];
  url = login.href;
  db = openPostgres(url);
});

afterEach(async () => {
  await db.close();
  await dba.close();
  await asAdmin(async (admin) => {
    await admin.query(`drop database ${name} with (force)`);
    await admin.query(`drop role ${app}; drop role ${team}`);
  });
});

/** In the order in which they are named. */
const GRANTS = [
  () => `grant usage, create on schema pgmq to ${app};`,
  () => `grant select, insert, delete on pgmq.meta to ${app};`,
  () =>
    `grant execute on function pgmq.acquire_queue_lock(text), pgmq.archive(text, bigint[]), pgmq."create"(text), pgmq.create_non_partitioned(text), pgmq.format_table_name(text, text), pgmq.list_queues(), pgmq.validate_queue_name(text) to ${app};`,
  () => 'alter table pgmq.meta replica identity using index meta_queue_name_key;',
  () => 'alter table pgmq.topic_bindings replica identity using index topic_bindings_unique_pattern_queue;',
];

/** What is called once the queues are there. */
const called = () =>
  `grant execute on function pgmq.archive(text, bigint[]), pgmq.format_table_name(text, text) to ${app};`;

test('an installation says what it lacks until it has all of it, and then everything works', async () => {
  const lack = `the schema pgmq belongs to ${team}, and ${app} lacks rights on it`;
  for (let given = 0; given < GRANTS.length; given++) {
    const statements = GRANTS.slice(given)
      .map((statement) => statement())
      .join(' ');
    const remedy = `run as ${team} or as a superuser: ${statements} or set ANIMUS_PGMQ_SCHEMA to the name of a new schema for the queues, or give animus a database of its own`;
    await expect(migrate(db)).rejects.toMatchObject({
      code: 'db.refused',
      message: expect.stringContaining(`${lack}; ${remedy}`),
    });
    if (given === 0) expect(await pgmqOfDoctor()).toEqual([{ check: 'pgmq', state: 'problem', detail: lack, remedy }]);
    await dba.query(GRANTS[given]!());
  }
  await migrate(db);
  expect(await pgmqOfDoctor()).toEqual([{ check: 'pgmq', state: 'ok', detail: 'installed', remedy: null }]);
  await lifeOfItems();
});

test('once installed it needs less, works with it, and a migration leaves the rights as they are', async () => {
  await install();
  const grants = () =>
    dba.query(
      `select n.nspacl::text, c.relacl::text from pg_namespace n join pg_class c on c.relnamespace = n.oid where n.nspname = 'pgmq' and c.relname = 'meta'`,
    );
  await dba.query(
    `revoke create on schema pgmq from ${app}; revoke insert, delete on pgmq.meta from ${app}; revoke all on all functions in schema pgmq from ${app}; ${called()}`,
  );
  const before = await grants();
  await migrate(db, { putBackFunctions: true });
  expect(await grants()).toEqual(before);
  expect(await missingPgmqRights(db, 'this role')).toBeNull();
  await lifeOfItems();
});

test('what is taken away from a running installation is named, also by a login without rights', async () => {
  await install();
  const grant = [GRANTS[0]!().replace(', create', ''), GRANTS[1]!().replace(', insert, delete', ''), called()];
  await dba.query(
    `revoke all on schema pgmq from ${app}; revoke all on pgmq.meta from ${app}; revoke all on all functions in schema pgmq from ${app}`,
  );
  const rights = { schema: 'pgmq', owner: team, role: app, statements: grant, installing: false };
  expect(await missingPgmqRights(db, 'this role')).toEqual(rights);
  // Whoever asks, it is the owner of schema animus who needs them; a superuser has them, and may migrate.
  expect(await missingPgmqRights(dba, 'the owner')).toEqual(rights);
  expect(await missingPgmqRights(dba, 'this role')).toBeNull();
  await dba.query(grant.join(' '));
  expect(await missingPgmqRights(db, 'this role')).toBeNull();
  await lifeOfItems();
});

async function install(): Promise<void> {
  await dba.query(GRANTS.map((statement) => statement()).join(' '));
  await migrate(db);
}

async function lifeOfItems(): Promise<void> {
  await insertWork(db);
  await completeWork(db, await claimOne(db), {}, null);
  await db.query(`insert into pgmq.q_animus_inbox (vt, message) values (now(), '{"faculty": "engineer"}')`);
  expect(await drainInbox(db, 10)).toMatchObject({ accepted: 1 });
  await completeWork(db, await claimOne(db), {}, null);
}

async function pgmqOfDoctor(): Promise<readonly object[]> {
  const { stdout } = await run(['doctor', '--json'], { env: { DATABASE_URL: url } });
  return (JSON.parse(stdout) as { findings: { check: string }[] }).findings.filter(({ check }) => check === 'pgmq');
}
