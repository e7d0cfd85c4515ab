import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { installPgmq } from '../../../src/store/migrations/extensions.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import { asAdmin, testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';
import { insertWork } from '../work/queue-driver.ts';

const QUEUES = ['work', 'inbox', 'inbox_dead'];

describe('an application has queues named work, inbox and inbox_dead before animus comes', () => {
  const target = testDatabase({ empty: true });
  const owner = `animus_test_${randomBytes(4).toString('hex')}`;
  beforeAll(() => asAdmin((admin) => admin.query(`create role ${owner}`)));
  afterAll(async () => {
    await target.database.query(`drop owned by ${owner} cascade`);
    await asAdmin((admin) => admin.query(`drop role ${owner}`));
  });

  test('animus never reads, prunes, archives or changes them', async () => {
    const db = target.database;
    await db.transaction(async (tx) => void (await installPgmq(tx)));
    await db.query(`grant all on schema pgmq to ${owner}; grant all on all tables in schema pgmq to ${owner}`);
    await db.transaction(async (tx) => {
      await tx.query(`set local role ${owner}`);
      for (const queue of QUEUES) await tx.query('select pgmq.create($1)', [queue]);
    });
    await fill(db);
    await db.query('alter table pgmq.q_work set (fillfactor = 55)');
    const before = await snapshot(db);
    await migrate(db);
    await work(db);
    expect(await snapshot(db)).toEqual(before);
    expect(await db.query('select count(*)::int from animus.work_items')).toEqual([{ count: 3 }]);
    expect(await migrate(db)).toMatchObject({ applied: [] });
  });
});

describe('version 0.1.0 took over queues that it did not create', () => {
  const target = testDatabase({ empty: true });

  test("the upgrade gives them back, with everything that is not animus's", async () => {
    const db = target.database;
    await db.transaction(async (tx) => void (await installPgmq(tx)));
    for (const queue of QUEUES) await db.query('select pgmq.create($1)', [queue]);
    await migrateFirstSchema(db);
    await fill(db);
    const theirs = await messages(db);
    const open = await insertWork(db, { faculty: 'clerk', description: 'open' });
    const ended = await insertWork(db, { faculty: 'clerk', description: 'ended' });
    await db.query(`select animus.cancel_work($1)`, [ended]);
    await db.query(
      `insert into pgmq.q_inbox_dead (vt, message) values (now(), '{"reason": "x", "msg_id": 1, "enqueued_at": null, "refused_at": null, "message": {}}')`,
    );
    await migrate(db);
    expect(await messages(db)).toEqual(theirs);
    expect(
      await db.query(
        `select 'open' as place, message ->> 'work_item_id' as id from pgmq.q_animus_work union all
         select 'ended', message ->> 'work_item_id' from pgmq.a_animus_work union all
         select 'dead', message ->> 'reason' from pgmq.q_animus_inbox_dead`,
      ),
    ).toEqual([
      { place: 'open', id: open },
      { place: 'ended', id: ended },
      { place: 'dead', id: 'x' },
    ]);
    const before = await snapshot(db);
    expect(before).toMatchObject({
      triggers: [],
      options: [{ reloptions: null }, { reloptions: null }, { reloptions: null }],
    });
    await work(db);
    expect(await snapshot(db)).toEqual(before);
    // What was already taken over is an ordinary item.
    const [claimed] = await db.query<{ id: string; lease_token: string }>(
      `select id, lease_token from animus.claim_work(gen_random_uuid(), '{"clerk": {"max": 5}}', 1, '1 minute')`,
    );
    expect(claimed!.id).toBe(open);
    await db.query(`select animus.complete_work($1, $2, '{}')`, [open, claimed!.lease_token]);
    expect(await db.query('select from pgmq.q_animus_work where message ->> $1 = $2', ['work_item_id', open])).toEqual(
      [],
    );
  });
});

describe('after a restored dump, rows do not show which transaction wrote them', () => {
  const ours = testDatabase({ empty: true });
  const mixed = testDatabase({ empty: true });

  test('queues that version 0.1.0 created are recognised by the time of their creation', async () => {
    const db = ours.database;
    await migrateFirstSchema(db);
    await asRestored(db);
    await db.query(`select pgmq.send('inbox', '{"faculty": "clerk"}')`);
    await migrate(db);
    expect(await drainInbox(db, 10)).toMatchObject({ accepted: 1 });
    expect(await kinds(db)).toEqual({ q_work: 'v', q_inbox: 'r', q_inbox_dead: 'v' });
  });

  test('and so are those it took over', async () => {
    const db = mixed.database;
    await db.transaction(async (tx) => void (await installPgmq(tx)));
    await db.query(`select pgmq.create('inbox')`);
    await migrateFirstSchema(db);
    await asRestored(db);
    await db.query(`select pgmq.send('inbox', '{"faculty": "clerk"}')`);
    await migrate(db);
    expect(await drainInbox(db, 10)).toMatchObject({ accepted: 0 });
    expect(await kinds(db)).toEqual({ q_work: 'v', q_inbox: 'r', q_inbox_dead: 'v' });
    // The operator decides.
    await db.query(`comment on table pgmq.q_inbox is 'animus: its old inbox'`);
    expect(await drainInbox(db, 10)).toMatchObject({ accepted: 1 });
  });
});

describe('an application creates a queue named inbox after animus was installed', () => {
  const target = testDatabase();

  test('until then the old name works as before; from then on it belongs to the application', async () => {
    const db = target.database;
    await db.query(`select pgmq.send('inbox', '{"faculty": "clerk"}')`);
    expect(await drainInbox(db, 10)).toMatchObject({ accepted: 1 });
    await db.query(`select pgmq.create('inbox'), pgmq.create('work'), pgmq.create('inbox_dead')`);
    await fill(db);
    const before = await snapshot(db);
    await work(db);
    expect(await snapshot(db)).toEqual(before);
  });
});

describe('an application has a queue named animus_inbox', () => {
  const target = testDatabase({ empty: true });

  test('animus does not install itself on it, and says what to do', async () => {
    const db = target.database;
    await db.transaction(async (tx) => void (await installPgmq(tx)));
    await db.query(`select pgmq.create('animus_inbox')`);
    await expect(migrate(db)).rejects.toThrow(/a pgmq queue named animus_inbox is there, and animus did not make it/);
    await db.query(`comment on table pgmq.q_animus_inbox is 'animus: left by an animus that was removed'`);
    await migrate(db);
  });
});

/** Messages of the application: one that looks like work, one that does not, one that is delayed, and old archived ones. */
async function fill(db: Database): Promise<void> {
  for (const queue of QUEUES) {
    await db.query(`select pgmq.send($1::text, '{"faculty": "engineer", "description": "not for animus"}'::jsonb)`, [
      queue,
    ]);
    await db.query(`select pgmq.send($1::text, '{"work_item_id": "some id of theirs"}'::jsonb)`, [queue]);
    await db.query(`select pgmq.send($1::text, '[1]'::jsonb, 3600)`, [queue]);
    await db.query(
      `select pgmq.archive($1::text, array_agg(m)) from pgmq.send($1::text, '{"theirs": true}'::jsonb) m`,
      [queue],
    );
  }
  await db.query(
    `update pgmq.a_work set archived_at = '2001-01-01'; update pgmq.a_inbox set archived_at = '2001-01-01'`,
  );
}

/** What a daemon does in the course of a day. */
async function work(db: Database): Promise<void> {
  await db.query(
    `select pgmq.send('animus_inbox', '{"faculty": "engineer"}'), pgmq.send('animus_inbox', '{"nonsense": 1}')`,
  );
  await insertWork(db);
  await drainInbox(db, 100);
  await insertWork(db);
  await db.query(`select animus.prune_archives(interval '0')`);
  await db.query(`select animus.grant_roles()`);
  const [status] = await db.query<{ inbox: unknown }>(`select animus.ways_in_status() -> 'inbox' as inbox`);
  expect(status!.inbox).toMatchObject({ waiting: 0 });
}

async function messages(db: Database): Promise<object[]> {
  return db.query(
    `select * from (
       select 'q_work' as place, to_jsonb(m) as row from pgmq.q_work m union all select 'a_work', to_jsonb(m) from pgmq.a_work m union all
       select 'q_inbox', to_jsonb(m) from pgmq.q_inbox m union all select 'a_inbox', to_jsonb(m) from pgmq.a_inbox m union all
       select 'q_inbox_dead', to_jsonb(m) from pgmq.q_inbox_dead m union all select 'a_inbox_dead', to_jsonb(m) from pgmq.a_inbox_dead m) all_of_it
      order by place, row ->> 'msg_id'`,
  );
}

async function snapshot(db: Database): Promise<object> {
  return {
    messages: await messages(db),
    options: await db.query(
      `select c.relname, c.reloptions, c.relkind, c.relacl::text, obj_description(c.oid) as comment from pg_class c
        where c.relnamespace = 'pgmq'::regnamespace and c.relname in ('q_work', 'q_inbox', 'q_inbox_dead') order by 1`,
    ),
    triggers: await db.query(
      `select tgname from pg_trigger where tgrelid in ('pgmq.q_work'::regclass, 'pgmq.q_inbox'::regclass, 'pgmq.q_inbox_dead'::regclass)`,
    ),
    numbers: await db.query(
      `select (select last_value from pgmq.q_work_msg_id_seq) as work, (select last_value from pgmq.q_inbox_msg_id_seq) as inbox`,
    ),
    meta: await db.query(`select * from pgmq.meta where queue_name in ('work', 'inbox', 'inbox_dead') order by 1`),
  };
}

/** Rewrites all rows of a table in one transaction, as `pg_restore` does. */
async function asRestored(db: Database): Promise<void> {
  await db.query('update animus.schema_migrations set name = name');
  await db.query('update pgmq.meta set queue_name = queue_name');
}

async function kinds(db: Database): Promise<Record<string, string>> {
  const rows = await db.query<{ relname: string; relkind: string }>(
    `select relname, relkind from pg_class where relnamespace = 'pgmq'::regnamespace and relname in ('q_work', 'q_inbox', 'q_inbox_dead')`,
  );
  return Object.fromEntries(rows.map(({ relname, relkind }) => [relname, relkind]));
}
