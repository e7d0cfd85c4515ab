import { beforeEach, describe, expect, test } from 'vitest';
import { chainChecker, decisionHash, digestTexts } from '../../../src/features/audit/chain.ts';
import type { Decision } from '../../../src/features/audit/rows.ts';
import { readAudit, readChains, readUnchained } from '../../../src/features/audit/store.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { emptyQueue, insertWork } from '../../store/work/queue-driver.ts';
import { beginFocus, recordCalls } from '../../support/begun-focus.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';

const target = testDatabase();
beforeEach(() => emptyQueue(target.database));

const cancel = (db: Database, id: string, reason = 'x') => db.query('select animus.cancel_work($1, $2)', [id, reason]);
async function all<T>(rows: AsyncIterable<T>): Promise<T[]> {
  const found: T[] = [];
  for await (const row of rows) found.push(row);
  return found;
}
async function faults(db: Database) {
  const checker = chainChecker();
  return (await all(readChains(db))).flatMap((one) => checker.check(one));
}

describe.each(['postgres', 'embedded'] as const)('on %s', (kind) => {
  const embedded = kind === 'embedded' ? embeddedDatabase() : null;
  const open = () => embedded?.database ?? target.database;

  test('every decision is chained to the one before it about the same item or faculty', async () => {
    const db = open();
    const [one, two] = [await insertWork(db), await insertWork(db)];
    for (const id of [one, two, one]) await cancel(db, id);
    await db.query('select animus.retry_work($1)', [one]);
    await db.query(`select animus.pause('engineer', 'quiet'), animus.pause(), animus.resume('engineer')`);
    const chains = await all(readChains(db));
    const placed = chains.map(({ work_item_id, target: about, seq, action }) => [work_item_id ?? about, seq, action]);
    expect(placed.toSorted()).toEqual(
      [
        ['*', 1, 'pause'],
        ['engineer', 1, 'pause'],
        ['engineer', 2, 'resume'],
        [one, 1, 'cancel'],
        [one, 2, 'cancel'],
        [one, 3, 'retry'],
        [two, 1, 'cancel'],
      ].toSorted(),
    );
    expect(await faults(db)).toEqual([]);
  });
});

test('any text has the same hash here and in the database', async () => {
  const note = `"\\ \u0001\u001f\u007f\u0080\u2028\u2029 \t\r\n\b\f / é 漢 🧵 </script> \u202e`;
  const id = await insertWork(target.database);
  await cancel(target.database, id, note);
  await target.database.query(
    `insert into animus.decisions (work_item_id, call_id, action, note, decided_by, created_at, subject_digest)
     values ($1, $2, 'approve', $2, $2, '1999-12-31T23:59:59.000001Z', sha256('x'))`,
    [id, note],
  );
  const [first, second] = await all(readChains(target.database));
  expect([first!.hash, second!.hash]).toEqual([decisionHash(first!), decisionHash(second!)]);
  expect(second).toMatchObject({ previous_hash: first!.hash, note, created_at: '1999-12-31T23:59:59.000001Z' });
  expect(digestTexts(second!.salt, note)).toBe(second!.note_digest);
});

test('the digest of the item is that of what was submitted, and outlives it together with who submitted it', async () => {
  const id = await insertWork(target.database, { description: 'Fix "it"', params: { b: 1, a: [2] } });
  await cancel(target.database, id);
  const [item] = await target.database.query<{ who: string; at: string }>(
    `select submitted_by as who, to_char(created_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.US"Z"') as at from animus.work_items`,
  );
  const digest = (salt: string | null) =>
    digestTexts(salt, id, 'engineer', null, 'Fix "it"', '{"a": [2], "b": 1}', item!.who, item!.at);
  const [decision] = await all(readChains(target.database));
  expect(decision!.work_digest).toBe(digest(decision!.salt));

  await target.database.query('delete from animus.work_items');
  const [deleted] = await target.database.query<{ salt: string }>(
    `select id, faculty, submitted_by, state, salt, encode(work_digest, 'hex') as digest, deleted_by from animus.deleted_work`,
  );
  expect(deleted).toEqual({
    id,
    faculty: 'engineer',
    submitted_by: item!.who,
    state: 'cancelled',
    salt: deleted!.salt,
    digest: digest(deleted!.salt),
    deleted_by: item!.who,
  });
  const [row] = await all(readAudit(target.database, {}));
  expect(row).toMatchObject({ faculty: 'engineer', submitted_by: item!.who, submitted_at: item!.at, action: 'cancel' });
});

test('retention writes what remains of a tree with one statement', async () => {
  const root = await insertWork(target.database);
  for (let n = 0; n < 2; n++) await insertWork(target.database, { parent_id: root });
  await cancel(target.database, root);
  await target.database.query('create table public.statements (n int)');
  await target.database.query(
    `create function note_statement() returns trigger language plpgsql as $$ begin insert into public.statements values (1); return null; end $$`,
  );
  await target.database.query(
    'create trigger noted after insert on animus.deleted_work for each statement execute function note_statement()',
  );
  await target.database.query('delete from animus.deleted_work');
  await target.database.query(`select animus.prune_work(interval '0')`);
  expect(await target.database.query('select count(*)::int as n from animus.deleted_work')).toEqual([{ n: 3 }]);
  expect(await target.database.query('select count(*)::int as n from public.statements')).toEqual([{ n: 1 }]);
  await target.database.query(
    'drop trigger noted on animus.deleted_work; drop function note_statement; drop table public.statements',
  );
});

test('a decision about a call is shown with its tool and turn, another with the turn that was the last', async () => {
  const work = await beginFocus(target.database);
  const decide = (action: string, callId: string | null) =>
    target.database.query(
      `insert into animus.decisions (work_item_id, call_id, action, decided_by, created_at) values ($1, $2, $3, 'x', animus.now())`,
      [work.id, callId, action],
    );
  await decide('steer', null);
  await recordCalls(target.database, work, 1, ['c1', 'c2'], 'bash');
  await decide('approve', 'c2');
  await recordCalls(target.database, work, 2, ['c3'], 'write_file');
  await decide('deny', 'c2');
  await cancel(target.database, work.id);
  const rows = await target.database.query(
    'select action, focus_id, turn, tool, call_state, model from animus.audit where work_item_id = $1 order by seq',
    [work.id],
  );
  const [focus_id, model, call_state] = [work.key.focusId, 'test', 'started'];
  expect(rows).toEqual([
    { action: 'steer', focus_id: null, turn: null, tool: null, call_state: null, model: null },
    { action: 'approve', focus_id, turn: 1, tool: 'bash', call_state, model },
    { action: 'deny', focus_id, turn: 1, tool: 'bash', call_state, model },
    { action: 'cancel', focus_id, turn: 2, tool: null, call_state: null, model },
  ]);
});

test('pages are complete and in order, also when many decisions have the same time', async () => {
  const id = await insertWork(target.database);
  await target.database.query(
    `insert into animus.decisions (work_item_id, action, decided_by, created_at)
     select $1, 'steer', 'x', '2026-01-01T00:00:00Z'::timestamptz + interval '1 microsecond' * (n / 700) from generate_series(0, 1499) n`,
    [id],
  );
  const ids = (await all(readAudit(target.database, {}))).map((row) => BigInt(row.id));
  expect(ids).toHaveLength(1500);
  expect(ids).toEqual(ids.toSorted((a, b) => Number(a - b)));
  const [since, until] = [new Date('2026-01-01T00:00:00Z'), new Date('2026-01-01T00:00:00.001Z')];
  expect(await all(readAudit(target.database, { since, until }))).toHaveLength(1500);
  expect(await all(readAudit(target.database, { until: since }))).toHaveLength(0);
  expect(await all(readChains(target.database))).toHaveLength(1500);
  expect(await faults(target.database)).toEqual([]);
});

test('decisions that are made at the same time are chained one after the other', async () => {
  const id = await insertWork(target.database);
  const pool = target.open({ poolSize: 12 });
  for (let n = 0; n < 10; n++) {
    await pool.query(`select animus.pause('engineer')`);
    await cancel(pool, id);
  }
  const earlier = await all(readAudit(pool, {}));
  await Promise.all(
    earlier.map(async (one) => {
      await Promise.all([
        cancel(pool, id),
        pool.query(`select animus.pause('engineer')`),
        pool.query('select animus.erase_note($1)', [one.id]),
      ]);
    }),
  );
  expect(await all(readChains(pool))).toHaveLength(80);
  expect(await faults(pool)).toEqual([]);
});

describe('an erased note', () => {
  test('leaves a chain that can be checked, and a decision that says who erased it', async () => {
    const id = await insertWork(target.database);
    await cancel(target.database, id, 'Ada Lovelace asked for it');
    await cancel(target.database, id, 'again');
    const [first] = await all(readChains(target.database));
    const erase = () => target.database.query('select animus.erase_note($1) as erased', [first!.id]);
    expect(await erase()).toEqual([{ erased: true }]);
    expect(await erase()).toEqual([{ erased: false }]);
    expect(await faults(target.database)).toEqual([]);
    const rows = await target.database.query('select action, note, erased from animus.audit order by seq');
    expect(rows).toEqual([
      { action: 'cancel', note: '', erased: true },
      { action: 'cancel', note: 'again', erased: false },
      { action: 'erase', note: `the note of decision ${first!.id}`, erased: false },
    ]);
    const [stored] = await target.database.query('select d::text as row from animus.decisions d order by id');
    expect(stored!['row']).not.toContain('Ada');
  });

  test('may belong to a deleted item or to a pause', async () => {
    const id = await insertWork(target.database);
    await cancel(target.database, id);
    await target.database.query('delete from animus.work_items');
    await target.database.query(`select animus.pause('engineer', 'Ada is ill')`);
    await target.database.query('select animus.erase_note(id) from animus.decisions');
    expect(await faults(target.database)).toEqual([]);
    const [row] = await target.database.query(
      `select count(*)::int as n from animus.decisions where note like '%Ada%'`,
    );
    expect(row).toEqual({ n: 0 });
    await expect(target.database.query('select animus.erase_note(0)')).rejects.toMatchObject({
      code: 'work.not_found',
    });
  });
});

describe('decisions of an earlier version', () => {
  const old = testDatabase({ empty: true });

  test('are chained by the upgrade, those written between its steps too', async () => {
    const db = old.database;
    await migrateFirstSchema(db);
    await migrateFirstSchema(db, 22);
    const [one, two] = [await insertWork(db), await insertWork(db)];
    await db.query(
      `select animus.cancel_work($1, 'first'), animus.pause('engineer', 'quiet: really'), animus.pause()`,
      [one],
    );
    await migrateFirstSchema(db, 23);
    await cancel(db, two, 'between');
    await db.query(`select animus.resume('engineer')`);
    expect(await db.query('select from animus.decisions where hash is null')).toHaveLength(2);
    await migrate(db);
    expect(await readUnchained(db)).toEqual([]);
    expect(await faults(db)).toEqual([]);
    await cancel(db, one, 'afterwards');
    const rows: Decision[] = await all(readChains(db));
    expect(rows.map(({ work_item_id, target: about, seq, note }) => [work_item_id ?? about, seq, note])).toEqual([
      [one, 1, 'first'],
      [one, 2, 'afterwards'],
      [two, 1, 'between'],
      ['*', 1, '*: paused by an operator'],
      ['engineer', 1, 'engineer: quiet: really'],
      ['engineer', 2, 'engineer'],
    ]);
    expect(await faults(db)).toEqual([]);
  });
});
