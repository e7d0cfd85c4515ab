/** Promise: where the schema pgmq cannot be used, the queues are in one of another name, and everything works as in pgmq. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPgmq } from '../../../src/store/migrations/extensions.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { queueMetrics } from '../../../src/store/views/queue-metrics.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { run } from '../../cli/run-cli.ts';
import { asAdmin, embeddedDatabase, testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';
import { claimOne, insertWork } from '../work/queue-driver.ts';

/** A name that has to be quoted. */
const QUEUES = 'Animus queues-2';
const quoted = (name: string) => `"${name}"`;

describe('beside a pgmq that belongs to somebody else and gives no rights', () => {
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
      await tx.query(`select pgmq.create('animus_work'); revoke execute on all functions in schema pgmq from public`);
    });
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

  test('the refusal names the setting, and the doctor what is missing with it', async () => {
    expect(await animus(['db', 'migrate'])).toMatchObject({
      code: 4,
      stderr: expect.stringContaining(' or set ANIMUS_PGMQ_SCHEMA to the name of a new schema for the queues'),
    });
    expect(await pgmqOfDoctor(QUEUES)).toMatchObject([
      { state: 'problem', detail: `not installed in the schema ${QUEUES}` },
    ]);
  });

  test('a migration with the setting installs everything, and nothing in the other schema', async () => {
    const before = await foreignObjects();
    expect(await animus(['db', 'migrate'], QUEUES)).toMatchObject({ code: 0 });
    expect(await foreignObjects()).toEqual(before);
    const ours = await target.database.query(
      `select c.relname from pg_class c where c.relnamespace = $1::regnamespace and c.relname ~ '^q_.*[a-z]$' and c.relkind = 'r' order by 1`,
      [quoted(QUEUES)],
    );
    expect(ours.map(({ relname }) => relname)).toEqual([
      'q_animus_inbox',
      'q_animus_inbox_dead',
      'q_animus_work',
      'q_inbox',
    ]);
  });

  test('work, messages and their archives live there', async () => {
    await lifeOfItems(db, quoted(QUEUES));
    await db.query(`select animus.prune_archives(interval '0')`);
    expect(await db.query(`select from ${quoted(QUEUES)}.a_animus_work`)).toEqual([]);
    await insertWork(db);
    expect(await queueMetrics(db)).toMatchObject([
      { queue: 'animus_work', messages: 1 },
      { queue: 'animus_inbox', messages: 0 },
      { queue: 'animus_inbox_dead', messages: 1 },
    ]);
    const status = await animus(['db', 'status', '--json']);
    expect(JSON.parse(status.stdout).queues).toHaveLength(3);
    expect((await animus(['status'])).stdout).toContain('1 unreadable in the queue animus_inbox_dead');
  });

  test('later migrations and the doctor find it, with and without the setting, and refuse another one', async () => {
    for (const schema of [undefined, QUEUES]) {
      const again = await animus(['db', 'migrate'], schema);
      expect(again).toMatchObject({ code: 0, stdout: expect.stringContaining('nothing to do') });
      expect(await pgmqOfDoctor(schema)).toMatchObject([{ state: 'ok', detail: `installed in the schema ${QUEUES}` }]);
    }
    for (const other of ['pgmq', 'another']) {
      const detail = `the queues of animus are in the schema ${QUEUES}, and ANIMUS_PGMQ_SCHEMA is ${other}`;
      expect(await animus(['db', 'migrate'], other)).toMatchObject({
        code: 4,
        stderr: expect.stringContaining(detail),
      });
      expect(await pgmqOfDoctor(other)).toMatchObject([{ state: 'problem', detail: expect.stringContaining(detail) }]);
    }
  });

  test('what somebody drops is named by doctor --deep and put back', async () => {
    await target.database.query(`drop trigger animus_inbox_after_insert on ${quoted(QUEUES)}.q_animus_inbox`);
    expect(await problems()).toEqual([
      {
        check: 'objects',
        detail: `trigger animus_inbox_after_insert of ${quoted(QUEUES)}.q_animus_inbox is missing`,
        remedy: expect.stringContaining(` ON ${quoted(QUEUES)}.q_animus_inbox `),
      },
    ]);
    await target.database.query(
      `drop table ${quoted(QUEUES)}.q_animus_inbox; delete from ${quoted(QUEUES)}.q_animus_work`,
    );
    await animus(['db', 'migrate']);
    expect(await problems()).toEqual([]);
    await target.database.query(`delete from ${quoted(QUEUES)}.q_animus_work`);
    expect(await problems()).toMatchObject([{ check: 'queue', remedy: 'run: animus db migrate' }]);
    await target.database.query(`drop schema ${quoted(QUEUES)} cascade`);
    await animus(['db', 'migrate']);
    expect(await problems()).toEqual([]);
    await lifeOfItems(db, quoted(QUEUES));
  });

  test('without the schema animus, the queues that are left are named', async () => {
    await target.database.query('drop schema animus cascade');
    expect((await problems())[0]).toMatchObject({
      detail: `the database has no animus schema; queues of an earlier one are left in ${quoted(QUEUES)}: animus_inbox, animus_inbox_dead, animus_work`,
    });
    expect(await animus(['db', 'migrate'], QUEUES)).toMatchObject({ code: 0 });
    await lifeOfItems(db, quoted(QUEUES));
  });

  const animus = (argv: string[], schema?: string) =>
    run(argv, { env: { DATABASE_URL: url, ...(schema === undefined ? {} : { ANIMUS_PGMQ_SCHEMA: schema }) } });

  async function findings(argv: string[], schema?: string): Promise<{ check: string; state: string }[]> {
    return JSON.parse((await animus(['doctor', '--json', ...argv], schema)).stdout).findings;
  }
  const pgmqOfDoctor = async (schema?: string) => (await findings([], schema)).filter(({ check }) => check === 'pgmq');
  const problems = async () =>
    (await findings(['--deep']))
      .filter(({ state, check }) => state === 'problem' && ['schema', 'pgmq', 'objects', 'queue'].includes(check))
      .map(({ state: _, ...rest }) => rest);

  /** All that is in the schema of the others, and who may use it. */
  const foreignObjects = () =>
    target.database.query(
      `select n.nspacl::text as schema, c.relname as name, c.relkind as kind, c.relacl::text as acl, c.relreplident as identity
         from pg_namespace n join pg_class c on c.relnamespace = n.oid where n.nspname = 'pgmq' order by 2`,
    );
});

describe('an earlier installation in a schema of its own', () => {
  const target = testDatabase({ empty: true });

  test('is upgraded in it, through each migration that names the queues', async () => {
    const { database } = target;
    await migrateFirstSchema(database, undefined, { pgmqSchema: 'own_queues' });
    await insertWork(database);
    await database.query(`select own_queues.send('inbox', '{"faculty": "engineer"}')`);
    await migrate(database);
    await completeWork(database, await claimOne(database), {}, null);
    expect(await drainInbox(database, 10)).toMatchObject({ accepted: 1 });
    await completeWork(database, await claimOne(database), {}, null);
    await lifeOfItems(database, 'own_queues');
    expect(await database.query(`select from pg_namespace where nspname = 'pgmq'`)).toEqual([]);
  });
});

describe('an earlier installation in pgmq', () => {
  const target = testDatabase();

  test('stays there', async () => {
    await expect(migrate(target.database, { pgmqSchema: 'own_queues' })).rejects.toMatchObject({
      code: 'db.refused',
      message: expect.stringContaining(
        'the queues of animus are in the schema pgmq, and ANIMUS_PGMQ_SCHEMA is own_queues',
      ),
    });
    await migrate(target.database, { pgmqSchema: 'pgmq' });
  });
});

describe('a schema that cannot be used', () => {
  const target = testDatabase({ empty: true });

  test.each(['', 'a'.repeat(64), 'pg_queues', 'public', 'animus', 'q"x', "q'x", 'q%s', 'q$1', 'q.x', 'q\\x', '1q'])(
    'is refused: %s',
    async (name) => {
      await expect(migrate(target.database, { pgmqSchema: name })).rejects.toMatchObject({
        code: 'db.refused',
        message: expect.stringContaining('expected 1 to 63 letters'),
      });
      if (name === '') return;
      const { code, stderr } = await run(['db', 'migrate'], {
        env: { DATABASE_URL: target.connectionString, ANIMUS_PGMQ_SCHEMA: name },
      });
      expect([code, stderr]).toEqual([2, expect.stringContaining('ANIMUS_PGMQ_SCHEMA')]);
    },
  );

  test('has something else in it; an empty one, or one with pgmq, is taken', async () => {
    const { database } = target;
    await database.query('create schema shop; create table shop.orders (); create schema empty');
    await expect(migrate(database, { pgmqSchema: 'shop' })).rejects.toMatchObject({
      message: expect.stringContaining('the schema shop has tables or functions and no pgmq'),
    });
    await migrate(database, { pgmqSchema: 'empty' });
    await lifeOfItems(database, 'empty');
    await database.query('drop schema animus cascade');
    await migrate(database, { pgmqSchema: 'empty' });
    await lifeOfItems(database, 'empty');
  });
});

describe('the embedded database', () => {
  const target = embeddedDatabase();

  test('has its own, whatever the setting says', async () => {
    await migrate(target.database, { pgmqSchema: 'own_queues' });
    await lifeOfItems(target.database, 'pgmq');
  });
});

/** One item that is inserted, one by a message, and a message that cannot be read. */
async function lifeOfItems(db: Database, schema: string): Promise<void> {
  await insertWork(db);
  await completeWork(db, await claimOne(db), {}, null);
  await db.query(
    `select ${schema}.send('animus_inbox', m) from unnest(array['{"faculty": "engineer"}', '{}']::jsonb[]) m`,
  );
  expect(await drainInbox(db, 10)).toMatchObject({ accepted: 1, refused: 1 });
  await completeWork(db, await claimOne(db), {}, null);
}
