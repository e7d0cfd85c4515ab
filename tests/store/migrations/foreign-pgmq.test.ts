/** Promise: with a pgmq that belongs to somebody else, animus works, or says which rights it lacks, on what, and who gives them. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { installPgmq } from '../../../src/store/migrations/extensions.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { missingPgmqRights } from '../../../src/store/migrations/pgmq-rights.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { run } from '../../cli/run-cli.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { claimOne, insertWork } from '../work/queue-driver.ts';

const target = testDatabase({ empty: true });
const [team, app] = ['team', 'app'].map((name) => `animus_test_${name}_${randomBytes(4).toString('hex')}`) as [
  string,
  string,
];
let url: string;
let db: Database;

beforeAll(async () => {
  await asAdmin((admin) => admin.query(`create role ${team}; create role ${app} login password 'p'`));
  const { database } = target;
  const [{ name } = { name: '' }] = await database.query<{ name: string }>('select current_database() as name');
  await database.query(`grant create on database ${name} to ${team}, ${app}`);
  await database.transaction(async (tx) => {
    await tx.query(`set local role ${team}`);
    await installPgmq(tx);
    await tx.query('revoke execute on all functions in schema pgmq from public');
  });
  await database.query('create publication warehouse for all tables');
  const login = new URL(target.connectionString);
  [login.username, login.password] = [app, 'p'];
  url = login.href;
  db = openPostgres(url);
});

afterAll(async () => {
  await db?.close();
  await target.database.query(`drop owned by ${app}, ${team} cascade`);
  await asAdmin((admin) => admin.query(`drop role ${app}; drop role ${team}`));
});

/** In the order in which they are named. */
const GRANTS = [
  () => `grant usage, create on schema pgmq to ${app};`,
  () => `grant select, insert, delete on pgmq.meta to ${app};`,
  () => `grant execute on all functions in schema pgmq to ${app};`,
  () => 'alter table pgmq.meta replica identity using index meta_queue_name_key;',
  () => 'alter table pgmq.topic_bindings replica identity using index topic_bindings_unique_pattern_queue;',
];

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
    await target.database.query(GRANTS[given]!());
  }
  await migrate(db);
  expect(await pgmqOfDoctor()).toEqual([{ check: 'pgmq', state: 'ok', detail: 'installed', remedy: null }]);
  await lifeOfItems();
});

test('once installed it needs less, works with it, and a migration leaves the rights as they are', async () => {
  const grants = () =>
    target.database.query(
      `select n.nspacl::text, c.relacl::text from pg_namespace n join pg_class c on c.relnamespace = n.oid where n.nspname = 'pgmq' and c.relname = 'meta'`,
    );
  await target.database.query(
    `revoke create on schema pgmq from ${app}; revoke insert, delete on pgmq.meta from ${app}`,
  );
  const before = await grants();
  await migrate(db, { putBackFunctions: true });
  expect(await grants()).toEqual(before);
  expect(await missingPgmqRights(db, 'this role')).toBeNull();
  await lifeOfItems();
});

test('what is taken away from a running installation is named, also by a login without rights', async () => {
  const grant = [GRANTS[0]!().replace(', create', ''), GRANTS[1]!().replace(', insert, delete', ''), GRANTS[2]!()];
  await target.database.query(
    `revoke all on schema pgmq from ${app}; revoke all on pgmq.meta from ${app}; revoke all on all functions in schema pgmq from ${app}`,
  );
  const rights = { schema: 'pgmq', owner: team, role: app, statements: grant, installing: false };
  expect(await missingPgmqRights(db, 'this role')).toEqual(rights);
  // Whoever asks, it is the owner of schema animus who needs them; a superuser has them, and may migrate.
  expect(await missingPgmqRights(target.database, 'the owner')).toEqual(rights);
  expect(await missingPgmqRights(target.database, 'this role')).toBeNull();
  await target.database.query(grant.join(' '));
  expect(await missingPgmqRights(db, 'this role')).toBeNull();
  await lifeOfItems();
});

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
