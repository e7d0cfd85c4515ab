import { beforeEach, describe, expect, test } from 'vitest';
import { testDatabase } from '../../support/database.ts';
import { listen } from '../postgres/listener.ts';
import { claim, codeOf, DAEMON, emptyQueue, insertWork, openTransaction, readWork } from './queue-driver.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

describe('an insert', () => {
  test('is queued with exactly one message, ordered by time', async () => {
    const ids: string[] = [];
    for (let n = 0; n < 50; n++) ids.push(await insertWork(target.database));
    expect(ids).toEqual(ids.toSorted());
    expect(await readWork(target.database, ids[7]!)).toMatchObject({
      state: 'queued',
      messages: 1,
      depth: 0,
      root_id: ids[7],
    });
  });

  test('of many rows gives ids of version 7, all different, in the order of the rows; their messages become visible at once', async () => {
    const rows = await target.database.query<{ id: string }>(
      `insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 5000) returning id`,
    );
    const ids = rows.map((row) => row.id);
    expect(new Set(ids).size).toBe(5000);
    expect(ids).toEqual(ids.toSorted());
    for (const id of ids) expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-7[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
    expect(new Set(ids.map((id) => id.slice(-4))).size).toBeGreaterThan(4000);
    expect(await target.database.query('select distinct vt from pgmq.q_animus_work')).toHaveLength(1);
  });

  test('gets an id of its own in each session, whatever seed the sessions have set', async () => {
    const tails = await Promise.all(
      [target.open({ poolSize: 1 }), target.open({ poolSize: 1 })].map(async (session) => {
        await session.query('select setseed(0.5)');
        return (await insertWork(session)).slice(-12);
      }),
    );
    expect(tails[0]).not.toBe(tails[1]);
  });

  test('takes a faculty of 63 characters and refuses one of 64', async () => {
    await insertWork(target.database, { faculty: `a${'b'.repeat(62)}` });
    await expect(insertWork(target.database, { faculty: `a${'b'.repeat(63)}` })).rejects.toMatchObject({
      constraint: 'work_items_faculty_check',
    });
  });

  test('with a time in the future is scheduled, and its message is invisible until then', async () => {
    const id = await insertWork(target.database, { run_at: new Date(Date.now() + 3_600_000) });
    expect(await readWork(target.database, id)).toMatchObject({ state: 'scheduled', messages: 1 });
    expect(await target.database.query(`select * from pgmq.read('animus_work', 10, 10)`)).toEqual([]);
  });

  test.each([
    ['id', 'gen_random_uuid()'],
    ['root_id', 'gen_random_uuid()'],
    ['depth', '0'],
    ['state', "'completed'"],
    ['merged_into', 'gen_random_uuid()'],
    ['key_blocked', 'true'],
    ['attempts', '1'],
    ['crashes', '1'],
    ['unstarted_claims', '1'],
    ['deaths', '1'],
    ['died_at_turn', '1'],
    ['suspect_of', 'gen_random_uuid()'],
    ['alone_until', 'now()'],
    ['max_attempts', '99'],
    ['lease_owner', 'gen_random_uuid()'],
    ['lease_token', '1'],
    ['lease_expires_at', 'now()'],
    ['lease_seconds', '1'],
    ['turns', '1'],
    ['turns_at_claim', '1'],
    ['cancel_requested_at', 'now()'],
    ['cancel_reason', "'x'"],
    ['outcome', "'{}'"],
    ['outcome_summary', "'x'"],
    ['error', "'{}'"],
    ['cost_usd', '1'],
    ['unpriced_calls', '1'],
    ['input_tokens', '1'],
    ['output_tokens', '1'],
    ['created_at', 'now()'],
    ['updated_at', 'now()'],
    ['resolved_at', 'now()'],
    ['queue_msg_id', '1'],
    ['submitted_by', "'somebody'"],
    ['has_mail', 'true'],
  ])('that sets %s is refused', async (column, value) => {
    const insert = target.database.query(
      `insert into animus.work_items (faculty, ${column}) values ('engineer', ${value})`,
    );
    expect(await codeOf(insert)).toBe('work.invalid');
  });

  test('only the columns above and those an inserter may set exist', async () => {
    const rows = await target.database.query<{ column_name: string }>(
      `select column_name from information_schema.columns where table_schema = 'animus' and table_name = 'work_items'`,
    );
    expect(rows).toHaveLength(36 + 21);
  });

  test.each([
    ['params', "'[1]'"],
    ['faculty', "'Not A Name'"],
    ['dedup_key', "''"],
    ['skill', "''"],
  ])('with a bad %s fails on a named constraint', async (column, value) => {
    const names = column === 'faculty' ? 'faculty' : `faculty, ${column}`;
    const values = column === 'faculty' ? value : `'engineer', ${value}`;
    await expect(
      target.database.query(`insert into animus.work_items (${names}) values (${values})`),
    ).rejects.toMatchObject({
      code: '23514',
    });
  });
});

describe('message and notification', () => {
  test('are rolled back with the transaction', async () => {
    const open = await openTransaction(target.database, async (tx) => {
      await insertWork(tx);
    });
    await open.end('rollback');
    const [row] = await target.database.query(
      `select (select count(*)::int from pgmq.q_animus_work) as messages, (select count(*)::int from animus.work_items) as items`,
    );
    expect(row).toEqual({ messages: 0, items: 0 });
  });

  test('are one notification per statement, only if a live daemon has room, and only after the commit', async () => {
    const listener = await listen(target.database, 'animus_work_ready', 'marker');
    try {
      const mark = async (name: string) => {
        await target.database.query(`select pg_notify('marker', $1)`, [name]);
        await listener.until(`marker ${name}`);
      };
      await insertWork(target.database);
      await mark('no daemon');
      await target.database.query(`select animus.register_daemon($1, 'host', 1, '0', 4, '{}', '[]')`, [DAEMON]);
      await target.database.query(
        `insert into animus.work_items (faculty) select 'engineer' from generate_series(1, 1000)`,
      );
      await mark('bulk');
      const open = await openTransaction(target.database, async (tx) => {
        await insertWork(tx);
      });
      await mark('uncommitted');
      await open.end('rollback');
      await mark('rolled back');
      await target.database.query(`insert into animus.work_items (faculty) select 'engineer' where false`);
      await mark('nothing inserted');
      await target.database.query(`update animus.daemons set saturated = true where id = $1`, [DAEMON]);
      await insertWork(target.database);
      await mark('saturated');
      await target.database.query(`update animus.daemons set saturated = false where id = $1`, [DAEMON]);
      await target.database.query(`update animus.daemons set seen_at = now() - interval '1 hour'`);
      await insertWork(target.database);
      await mark('long dead');
      expect(listener.heard.map((what) => what.replace('marker ', ''))).toEqual([
        'no daemon',
        'animus_work_ready',
        'bulk',
        'uncommitted',
        'rolled back',
        'nothing inserted',
        'saturated',
        'long dead',
      ]);
    } finally {
      await listener.stop();
    }
  });
});

describe('a parent', () => {
  test('gives its child root and depth, at most five levels deep', async () => {
    const root = await insertWork(target.database);
    let parent = root;
    for (let depth = 1; depth <= 5; depth++) {
      parent = await insertWork(target.database, { parent_id: parent });
      expect(await readWork(target.database, parent)).toMatchObject({ depth, root_id: root });
    }
    expect(await codeOf(insertWork(target.database, { parent_id: parent }))).toBe('work.invalid');
  });

  test('that does not exist is refused', async () => {
    expect(await codeOf(insertWork(target.database, { parent_id: DAEMON }))).toBe('work.not_found');
  });

  test('cannot be the item that its child merges into, at any level', async () => {
    const root = await insertWork(target.database, { dedup_key: 'same' });
    const child = await insertWork(target.database, { parent_id: root });
    for (const parent_id of [root, child])
      expect(await codeOf(insertWork(target.database, { parent_id, dedup_key: 'same' }))).toBe('work.invalid');
    expect((await claim(target.database, 9)).map((work) => work.id)).toEqual([root, child]);
  });
});
