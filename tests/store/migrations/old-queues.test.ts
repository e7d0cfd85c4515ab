import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import { asAdmin, embeddedDatabase, testDatabase } from '../../support/database.ts';
import { migrateFirstSchema, versionsSince } from '../../support/first-schema.ts';
import { insertWork } from '../work/queue-driver.ts';

describe('an installation of version 0.1.0 is upgraded', () => {
  const steps = testDatabase({ empty: true });

  test('between any two commits of the upgrade, work arrives and completes, and no message is lost', async () => {
    const db = steps.database;
    await migrateFirstSchema(db);
    await live(db);
    await insertWork(db, { run_at: '2100-01-01T00:00:00Z' });
    await send(db, 'inbox', { faculty: 'engineer', description: 'delayed' }, 3600);
    for (const version of versionsSince()) {
      await migrateFirstSchema(db, version);
      await live(db);
    }
    await send(db, 'inbox', { faculty: 'engineer', description: 'not read yet' });
    await migrate(db);
    await live(db);
    await live(db, 'animus_inbox');
    expect(await misplaced(db)).toEqual([]);
    const lives = versionsSince().length + 3;
    const [counts] = await db.query(
      `select (select count(*)::int from animus.work_items where source = 'inbox') as accepted,
              (select count(distinct trigger_info ->> 'inbox_msg_id')::int from animus.work_items where source = 'inbox') as numbers,
              (select count(*)::int from pgmq.q_animus_inbox_dead) as dead,
              (select count(*)::int from pgmq.q_inbox) as delayed`,
    );
    expect(counts).toEqual({ accepted: lives + 1, numbers: lives + 1, dead: lives, delayed: 1 });
    await db.query('update pgmq.q_inbox set vt = clock_timestamp()');
    expect(await drainInbox(db, 10)).toEqual({ accepted: 1, refused: 0, postponed: 0 });
  });

  test('the old names still work: sending, reading, archiving, measuring', async () => {
    const db = steps.database;
    const [dead] = await db.query<{ msg_id: string }>(`select msg_id from pgmq.read('inbox_dead', 30, 1)`);
    expect(await db.query(`select pgmq.archive('inbox_dead'::text, $1::bigint) as done`, [dead!.msg_id])).toEqual([
      { done: true },
    ]);
    expect(await db.query('select msg_id from pgmq.a_animus_inbox_dead')).toEqual([dead]);
    expect(await db.query(`select queue_length::int > 0 as there from pgmq.metrics('inbox_dead')`)).toEqual([
      { there: true },
    ]);
    const names = await db.query<{ queue_name: string }>('select queue_name from pgmq.metrics_all() order by 1');
    expect(names.map(({ queue_name }) => queue_name)).toEqual([
      'animus_inbox',
      'animus_inbox_dead',
      'animus_work',
      'inbox',
    ]);
    await db.query(`select pgmq.create('inbox'), pgmq.create('animus_inbox')`);
    expect((await db.query(`select * from pgmq.read('work', 0, 100)`)).length).toBe(
      (await db.query('select from pgmq.q_animus_work where vt <= clock_timestamp()')).length,
    );
  });

  describe('roles that could send', () => {
    const target = testDatabase({ empty: true });
    const role = `animus_test_${randomBytes(4).toString('hex')}`;
    beforeAll(() => asAdmin((admin) => admin.query(`create role ${role}`)));
    afterAll(async () => {
      await target.database.query(`drop owned by ${role}`);
      await asAdmin((admin) => admin.query(`drop role ${role}`));
    });

    test('can still send, under both names, and do nothing more', async () => {
      const db = target.database;
      await migrateFirstSchema(db);
      await db.query(`grant usage on schema pgmq to ${role}; grant insert, select on pgmq.q_inbox to ${role};
        grant select, update (vt, read_ct), delete on pgmq.q_inbox_dead to ${role}`);
      await migrate(db);
      const rights = await db.query<{ name: string; rights: string }>(
        `select c.relname as name, string_agg(p, ' ' order by p) as rights
           from pg_class c, unnest(array['select', 'insert', 'update', 'delete', 'truncate']) p
          where c.relnamespace = 'pgmq'::regnamespace and c.relname ~ '^[qa]_' and c.relkind in ('r', 'v')
            and has_table_privilege($1, c.oid, p) group by 1 order by 1`,
        [role],
      );
      expect(rights).toEqual([
        { name: 'q_animus_inbox', rights: 'insert select' },
        { name: 'q_animus_inbox_dead', rights: 'delete select' },
        { name: 'q_inbox', rights: 'insert select' },
        { name: 'q_inbox_dead', rights: 'delete select' },
      ]);
      const [columns] = await db.query(
        `select has_column_privilege($1, 'pgmq.q_inbox_dead', 'vt', 'update') as vt, has_column_privilege($1, 'pgmq.q_inbox_dead', 'message', 'update') as message`,
        [role],
      );
      expect(columns).toEqual({ vt: true, message: false });
    });
  });
});

describe('an embedded database of version 0.1.0 is upgraded', () => {
  const embedded = embeddedDatabase();

  test('with everything in its queues', async () => {
    const db = embedded.database;
    await migrateFirstSchema(db);
    await live(db);
    await send(db, 'inbox', { faculty: 'engineer', description: 'not read yet' });
    await migrate(db);
    await live(db);
    expect(await misplaced(db)).toEqual([]);
    expect(await db.query(`select count(*)::int as n from animus.work_items where source = 'inbox'`)).toEqual([
      { n: 3 },
    ]);
  });
});

describe('the schema belongs to a role without further rights', () => {
  const target = testDatabase({ empty: true });
  const owner = `animus_test_${randomBytes(4).toString('hex')}`;
  beforeAll(() => asAdmin((admin) => admin.query(`create role ${owner} login password 'p'`)));
  afterAll(async () => {
    await target.database.query(`drop owned by ${owner} cascade`);
    await asAdmin((admin) => admin.query(`drop role ${owner}`));
  });

  test('can be upgraded by that role', async () => {
    await target.database.query(
      `do $$ begin execute format('grant create on database %I to ${owner}', current_database()); end $$`,
    );
    const url = new URL(target.connectionString);
    [url.username, url.password] = [owner, 'p'];
    const db = openPostgres(url.href, { poolSize: 2 });
    await migrateFirstSchema(db);
    await live(db);
    await migrate(db);
    await live(db);
    expect(await misplaced(db)).toEqual([]);
    await db.close();
  });
});

/** One item from insert to end, one that fails and is queued again, one through the inbox, and a message that is refused. */
async function live(db: Database, inbox = 'inbox'): Promise<void> {
  const faculties = JSON.stringify({ clerk: { max: 1000, max_attempts: 2 } });
  const claim = async () =>
    (
      await db.query<{ id: string; lease_token: string }>(
        `select id, lease_token from animus.claim_work(gen_random_uuid(), $1::jsonb, 1000, '1 minute') where description = 'now'`,
        [faculties],
      )
    )[0]!;
  await insertWork(db, { faculty: 'clerk', description: 'now' });
  const first = await claim();
  await db.query(`select animus.release_work($1, $2)`, [first.id, first.lease_token]);
  const second = await claim();
  expect(second.id).toBe(first.id);
  await db.query(`select animus.complete_work($1, $2, '{}')`, [second.id, second.lease_token]);
  const cancelled = await insertWork(db, { faculty: 'clerk', description: 'later' });
  await db.query(`select animus.cancel_work($1)`, [cancelled]);
  await db.query(`select animus.retry_work($1)`, [cancelled]);
  await send(db, inbox, { faculty: 'engineer', description: 'by mail' });
  await send(db, inbox, { nonsense: 1 });
  await drainInbox(db, 10);
}

async function send(db: Database, queue: string, message: object, delaySeconds = 0): Promise<void> {
  const [sent] = await db.query<{ id: string }>(`select pgmq.send($1::text, $2::jsonb, $3::int) as id`, [
    queue,
    JSON.stringify(message),
    delaySeconds,
  ]);
  expect(sent!.id).toMatch(/^\d+$/);
}

/** Open items without exactly one message, and ended ones with a message left or none in the archive. */
function misplaced(db: Database): Promise<object[]> {
  return db.query(
    `select w.id, w.state, w.queue_msg_id from animus.work_items w
      where (select count(*) from pgmq.q_animus_work m where m.msg_id = w.queue_msg_id and m.message = jsonb_build_object('work_item_id', w.id))
              <> (w.resolved_at is null)::int
         or w.resolved_at is not null and not exists (select from pgmq.a_animus_work a where a.msg_id = w.queue_msg_id and a.message ->> 'work_item_id' = w.id::text)
      union all
     select null, 'no item', m.msg_id from pgmq.q_animus_work m where not exists (select from animus.work_items w where w.queue_msg_id = m.msg_id)`,
  );
}
