import { Pgmq } from 'pgmq-js';
import { afterEach, describe, expect, onTestFinished, test } from 'vitest';
import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { drainInbox } from '../../../src/store/work/inbox.ts';
import { clearWork } from '../../support/clear-work.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';

const target = testDatabase();
afterEach(async () => {
  await target.database.query(
    'delete from pgmq.q_animus_inbox; delete from pgmq.a_animus_inbox; delete from pgmq.q_animus_inbox_dead',
  );
  await clearWork(target.database);
});

describe('a message of the inbox becomes a work item', () => {
  test('however it was sent: plain SQL, a batch, or pgmq-js', async () => {
    const { database } = target;
    await send(database, { faculty: 'engineer', description: 'by SQL' });
    await database.query(
      `select pgmq.send_batch('animus_inbox'::text, array['{"faculty": "engineer", "description": "by batch"}']::jsonb[])`,
    );
    const pgmq = await Pgmq.new({ ...connection(), max: 1 }, { skipExtensionCreation: true });
    await pgmq.msg.send('animus_inbox', { faculty: 'engineer', description: 'by pgmq-js' });
    await pgmq.close();
    expect(await drainInbox(database, 10)).toEqual({ accepted: 3, refused: 0, postponed: 0 });
    expect(await items(database, 'description, state, source')).toEqual([
      { description: 'by SQL', state: 'queued', source: 'inbox' },
      { description: 'by batch', state: 'queued', source: 'inbox' },
      { description: 'by pgmq-js', state: 'queued', source: 'inbox' },
    ]);
    expect(await database.query('select count(*)::int from pgmq.a_animus_inbox')).toEqual([{ count: 3 }]);
  });

  test('with all columns that an inserter may set', async () => {
    const { database } = target;
    const [parent] = await database.query<{ id: string }>(
      `insert into animus.work_items (faculty) values ('engineer') returning id`,
    );
    await send(database, {
      faculty: 'engineer',
      description: 'Ω',
      params: { deep: [null, { a: null }] },
      skill: 'tests',
      dedup_key: 'k',
      priority: -7,
      run_at: '2999-01-02T03:04:05.5+02:00',
      concurrency_key: 'c',
      source: 'crm',
      parent_id: parent!.id,
      trigger_info: { order: null },
      trace_context: null,
      batch: false,
      detached: true,
    });
    expect(await drainInbox(database, 10)).toMatchObject({ accepted: 1 });
    const columns =
      'description, params, skill, dedup_key, priority, run_at, concurrency_key, source, parent_id, trigger_info, batch, detached, state';
    expect((await items(database, columns))[1]).toEqual({
      description: 'Ω',
      params: { deep: [null, { a: null }] },
      skill: 'tests',
      dedup_key: 'k',
      priority: -7,
      run_at: new Date('2999-01-02T01:04:05.500Z'),
      concurrency_key: 'c',
      source: 'crm',
      parent_id: parent!.id,
      trigger_info: { order: null },
      batch: false,
      detached: true,
      state: 'scheduled',
    });
  });

  test('exactly once, with any number of concurrent drainers, and duplicates merge', async () => {
    const { database } = target;
    // Keys in opposite orders: two drainers that wait for each other's keys must not cause a message to be refused.
    await database.query(
      `select pgmq.send('animus_inbox', jsonb_build_object('faculty', 'engineer', 'description', n::text, 'dedup_key', 'k' || case when n % 2 = 0 then n % 50 else 50 - n % 50 end))
         from generate_series(1, 600) n`,
    );
    const drainers = Array.from({ length: 6 }, () => target.open({ poolSize: 1 }));
    const totals = await Promise.all(drainers.map((database) => drainAll(database)));
    expect(totals.reduce((sum, total) => sum + total.accepted, 0)).toBe(600);
    expect(totals.reduce((sum, total) => sum + total.refused, 0)).toBe(0);
    const rows = await items(database, `description::int as n, state, dedup_key`);
    expect(rows.length).toBe(600);
    expect(new Set(rows.map((row) => row['n'])).size).toBe(600);
    expect(rows.filter((row) => row['state'] === 'queued').length).toBe(
      new Set(rows.map((row) => row['dedup_key'])).size,
    );
    expect(await database.query('select count(*)::int from pgmq.q_animus_inbox')).toEqual([{ count: 0 }]);
  });

  test('or stays in the queue if the transaction is rolled back or its connection killed', async () => {
    const { database } = target;
    await send(database, { faculty: 'engineer' });
    const undone = database.transaction(async (tx) => {
      expect(await drainInbox(tx, 10)).toMatchObject({ accepted: 1 });
      await tx.query('select pg_terminate_backend(pg_backend_pid())');
    });
    await expect(undone).rejects.toMatchObject({ code: 'db.unreachable' });
    expect(await items(database, 'id')).toEqual([]);
    expect(await drainInbox(database, 10)).toMatchObject({ accepted: 1 });
  });

  test('not before its delay has passed', async () => {
    await target.database.query(`select pgmq.send('animus_inbox'::text, '{"faculty": "engineer"}'::jsonb, 3600)`);
    expect(await drainInbox(target.database, 10)).toEqual({ accepted: 0, refused: 0, postponed: 0 });
  });
});

describe('one message never blocks the others', () => {
  test.each<[unknown, RegExp]>([
    [null, /expected a JSON object, got (nothing|null)/],
    [[1], /expected a JSON object, got \[1\]/],
    ['text', /expected a JSON object, got "text"/],
    [{}, /faculty: expected the name of a faculty, got nothing/],
    [{ faculty: null }, /faculty: expected the name/],
    [{ faculty: 5 }, /faculty: expected a text, got 5/],
    [{ faculty: 'Bad Name' }, /faculty: expected 1 to 63 lower-case letters.*got "Bad Name"/],
    [{ faculty: 'a', detached: 'yes' }, /detached: expected true or false, got "yes"/],
    [{ faculty: 'a', descrption: 'x' }, /"descrption": unknown key; known are faculty, description, params/],
    [{ faculty: 'a', state: 'completed' }, /"state": unknown key/],
    [{ faculty: 'a', params: [] }, /params: expected a JSON object, got \[\]/],
    [{ faculty: 'a', priority: 1.5 }, /priority: expected a whole number.*got 1.5/],
    [{ faculty: 'a', priority: 3_000_000_000 }, /priority: expected a whole number/],
    [{ faculty: 'a', priority: '1' }, /priority: expected a whole number, got "1"/],
    [{ faculty: 'a', run_at: 'tomorrow' }, /run_at: expected a time with its zone.*got "tomorrow"/],
    [{ faculty: 'a', run_at: '2026-03-01T09:00' }, /run_at: expected a time with its zone/],
    [{ faculty: 'a', run_at: '2026-02-31T09:00Z' }, /out of range/],
    [{ faculty: 'a', parent_id: 'x' }, /parent_id: expected the id of a work item/],
    [{ faculty: 'a', parent_id: '00000000-0000-7000-8000-000000000000' }, /no work item .* to be the parent/],
    [{ faculty: 'a', skill: 'x'.repeat(65) }, /work_items_skill_check/],
    [{ faculty: 'a', dedup_key: 'x'.repeat(2000) }, /check constraint|index row/],
  ])('%j goes to animus_inbox_dead with the reason', async (message, reason) => {
    const { database } = target;
    await database.query(`insert into pgmq.q_animus_inbox (vt, message) values (clock_timestamp(), $1::jsonb)`, [
      message === null ? null : JSON.stringify(message),
    ]);
    await send(database, { faculty: 'engineer', description: 'good' });
    expect(await drainInbox(database, 10)).toEqual({ accepted: 1, refused: 1, postponed: 0 });
    const [dead] = await database.query<{ message: Record<string, unknown> }>(
      'select message from pgmq.q_animus_inbox_dead',
    );
    expect(dead!.message['reason']).toMatch(reason);
    expect(dead!.message['message']).toEqual(message);
    expect(await items(database, 'description')).toEqual([{ description: 'good' }]);
  });

  test('nor does a trigger of the operator that refuses it', async () => {
    const { database } = target;
    await database.query(
      `create or replace function refuse() returns trigger language plpgsql as $$ begin raise exception 'not on my database'; end $$;
       create trigger refuse before insert on animus.work_items for each row when (new.description = 'forbidden') execute function refuse()`,
    );
    await send(database, { faculty: 'engineer', description: 'forbidden' });
    await send(database, { faculty: 'engineer', description: 'passes' });
    expect(await drainInbox(database, 10)).toEqual({ accepted: 1, refused: 1, postponed: 0 });
    await database.query('drop trigger refuse on animus.work_items');
  });

  test('nor does an open transaction that holds its key', async () => {
    const { database } = target;
    await database.transaction(async (tx) => {
      await tx.query(`insert into animus.work_items (faculty, dedup_key) values ('engineer', 'held')`);
      await send(database, { faculty: 'engineer', description: 'waits', dedup_key: 'held' });
      await send(database, { faculty: 'engineer', description: 'passes' });
      expect(await drainInbox(database, 10)).toEqual({ accepted: 1, refused: 0, postponed: 1 });
      expect(await drainInbox(database, 10)).toEqual({ accepted: 0, refused: 0, postponed: 0 });
    });
    await database.query('update pgmq.q_animus_inbox set vt = clock_timestamp()');
    expect(await drainInbox(database, 10)).toMatchObject({ accepted: 1 });
    expect((await items(database, 'description, state')).at(-1)).toEqual({ description: 'waits', state: 'merged' });
  });
});

test('running daemons are notified of new messages', async () => {
  const { database } = target;
  await database.query(`select animus.register_daemon(gen_random_uuid(), 'h', 1, '1', 4, '{}', '[]')`);
  const heard = Promise.withResolvers<string>();
  const handlers = { onNotify: (channel: string) => heard.resolve(channel), onReconnect: () => {} };
  const notifications = openNotifications(database, ['animus_inbox'], handlers);
  await notifications.start();
  onTestFinished(() => notifications.stop());
  await send(database, { faculty: 'engineer' });
  expect(await heard.promise).toBe('animus_inbox');
});

describe('on the embedded database', () => {
  const embedded = embeddedDatabase();
  test('the inbox works in the same way', async () => {
    await send(embedded.database, { faculty: 'engineer', description: 'x' });
    await send(embedded.database, { nonsense: 1 });
    expect(await drainInbox(embedded.database, 10)).toEqual({ accepted: 1, refused: 1, postponed: 0 });
  });
});

async function send(database: Database, message: object): Promise<void> {
  await database.query(`select pgmq.send('animus_inbox'::text, $1::jsonb)`, [JSON.stringify(message)]);
}

async function items(database: Database, columns: string): Promise<Record<string, unknown>[]> {
  return database.query(`select ${columns} from animus.work_items order by id`);
}

/** Repeats until the queue is empty: postponed messages are made visible at once. */
async function drainAll(database: Database) {
  const total = { accepted: 0, refused: 0 };
  for (;;) {
    const { accepted, refused } = await drainInbox(database, 100);
    total.accepted += accepted;
    total.refused += refused;
    const [left] = await database.query<{ count: number }>('select count(*)::int as count from pgmq.q_animus_inbox');
    if (left!.count === 0) return total;
    await database.query(
      'update pgmq.q_animus_inbox set vt = clock_timestamp() where msg_id in (select msg_id from pgmq.q_animus_inbox where vt > clock_timestamp() for update skip locked)',
    );
  }
}

function connection() {
  const url = new URL(target.connectionString);
  const { hostname: host, port, username: user, password } = url;
  return { host, port: Number(port), user, password, database: url.pathname.slice(1), ssl: false };
}
