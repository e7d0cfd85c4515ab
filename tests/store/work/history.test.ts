/** The packed transcripts of ended work: nothing is lost or changed, everything can be read, months are dropped. */
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { readLedger as readWholeLedger } from '../../../src/operations/ledger.ts';
import { readEvents } from '../../../src/store/events/read-events.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { appendLedger, readChainLedger } from '../../../src/store/transcript/ledger.ts';
import { readFoci } from '../../../src/store/views/focus-views.ts';
import { dropMonth, packHistory, pruneWork, readKeptRows } from '../../../src/store/work/retention.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { fakeDatabaseClock } from '../../support/database-clock.ts';
import { createLogin, dropLogins } from '../../support/role-login.ts';
import { fillHistory, USUAL } from './fill-history.ts';
import { emptyQueue, insertWork } from './queue-driver.ts';

const TABLES = ['turns', 'tool_calls', 'focus_messages', 'work_ledger'] as const;
const VIEWS = {
  turns: 'all_turns',
  tool_calls: 'all_tool_calls',
  focus_messages: 'all_messages',
  work_ledger: 'all_ledger',
};

const target = testDatabase();
let clock: Awaited<ReturnType<typeof fakeDatabaseClock>>;
beforeAll(async () => {
  clock = await fakeDatabaseClock(target.database, '2026-05-10T00:00:00Z');
});
beforeEach(async () => {
  await clock.set('2026-05-10T00:00:00Z');
  await reset(target.database);
});

describe.each(['postgres', 'embedded'])('%s', (kind) => {
  const pg = kind === 'postgres' ? target : embeddedDatabase();

  test('a transcript that was packed and unpacked is the same in every byte of every column', async () => {
    const db = pg.database;
    const id = await deadWithEverything(db);
    const before = await rows(db, TABLES);
    const shown = [
      await readFoci(db, id, true),
      await readWholeLedger(db, id, 'visible'),
      await readEvents(db, { kind: 'work', id }, null, 1000),
    ];
    expect(await packHistory(db, 0, 100)).toBe(1);
    expect(await rows(db, TABLES)).toEqual(TABLES.map(() => []));

    expect([
      await readFoci(db, id, true),
      await readWholeLedger(db, id, 'visible'),
      await readEvents(db, { kind: 'work', id }, null, 1000),
    ]).toEqual(shown);
    // Each column of the tables is in the views, with the same values.
    for (const table of TABLES) {
      const columns = (
        await db.query<{ name: string }>(
          `select attname as name from pg_attribute where attrelid = $1::regclass and attnum > 0 and not attisdropped order by attnum`,
          [`animus.${table}`],
        )
      ).map((column) => column.name);
      const all = await db.query(
        `select row(${columns.join(', ')})::text as row from animus.${VIEWS[table]} order by 1`,
      );
      expect(all).toEqual(before[TABLES.indexOf(table)]);
    }

    await db.query('select animus.retry_work($1)', [id]);
    expect(await rows(db, TABLES)).toEqual(before);
    expect(await db.query('select from animus.history')).toEqual([]);
  });
});

test('an operator adds to the ledger of packed work: numbers continue, and it is read as one', async () => {
  const db = target.database;
  await fillHistory(db, 1, USUAL);
  const [item] = await db.query<{ id: string }>('select id from animus.work_items');
  await packHistory(db, 30, 100);
  expect(await readChainLedger(db, item!.id)).toEqual([]);
  expect(await appendLedger(db, item!.id, 'note', 'It came back.')).toBe(USUAL.ledger + 1);
  expect((await readWholeLedger(db, item!.id, 'visible', { last: 2 })).map((entry) => entry.seq)).toEqual([8, 9]);
});

test('each item is passed once, in order of its end; those that are locked, referenced or at a provider stay as they are', async () => {
  const db = target.database;
  await fillHistory(db, 30, USUAL);
  const ids = (await db.query<{ id: string }>('select id from animus.work_items order by resolved_at')).map(
    (row) => row.id,
  );
  await db.query(
    `create table quotes (work uuid, seq int, foreign key (work, seq) references animus.work_ledger (work_item_id, seq))`,
  );
  await db.query('insert into quotes values ($1, 3)', [ids[4]]);
  await db.query(
    `insert into animus.batch_requests (id, work_item_id, focus_id, turn, provider, place, path, model, body, state, created_at, ready_at)
     select gen_random_uuid(), f.work_item_id, f.id, 1, 'p', 'p', '/', 'm', '{}', 'waiting', now(), now() from animus.foci f where work_item_id = $1`,
    [ids[9]],
  );
  const other = target.open({ poolSize: 1 });
  await other.transaction(async (tx) => {
    await tx.query('select from animus.work_items where id = $1 for update', [ids[7]]);
    expect([await packHistory(db, 30, 20), await packHistory(db, 30, 20), await packHistory(db, 30, 20)]).toEqual([
      20, 10, 0,
    ]);
  });
  expect(
    (await db.query<{ id: string }>(`select distinct work_item_id as id from animus.work_ledger`))
      .map((row) => row.id)
      .toSorted(),
  ).toEqual([ids[4], ids[7], ids[9]].toSorted());
  expect(await db.query('select count(*)::int from animus.history')).toEqual([{ count: 27 }]);
  expect(await readKeptRows(db)).toEqual([]);
  await db.query('drop table quotes');
  // What ends later is packed later.
  const later = await insertWork(db);
  await appendLedger(db, later, 'note', 'x');
  await db.query('select animus.cancel_work($1)', [later]);
  expect(await packHistory(db, 30, 20)).toBe(0);
  await clock.set('+31 days');
  expect(await packHistory(db, 30, 20)).toBe(1);
  expect(
    await db.query('select to_char(month, $1) as month from animus.history where work_item_id = $2', [
      'YYYY-MM-DD',
      later,
    ]),
  ).toEqual([{ month: '2026-05-01' }]);
});

test('a month is dropped when its work is deleted; what still exists moves on, and nothing of deleted work shows', async () => {
  const db = target.database;
  await fillHistory(db, 20, USUAL);
  const [tree] = await db.query<{ id: string }>('select id from animus.work_items order by id limit 1');
  await insertWork(db, { parent_id: tree!.id });
  await packHistory(db, 30, 100);
  await clock.set('+200 days');
  const months = () =>
    db.query<{ name: string }>(
      `select inhrelid::regclass::text as name from pg_inherits where inhparent = 'animus.history'::regclass order by 1`,
    );
  const before = await months();
  expect((await pruneWork(db, 90, 200, null)).deleted).toBe(19);
  expect(await db.query('select distinct work_item_id as id from animus.all_ledger')).toEqual([{ id: tree!.id }]);

  const other = target.open({ poolSize: 1 });
  await other.transaction(async (tx) => {
    await tx.query('select count(*) from animus.history');
    expect(await dropMonth(db, 90)).toBe(0);
  });
  expect(await months()).toEqual(before);
  let dropped = 0;
  while ((await dropMonth(db, 90)) === 1) dropped += 1;
  expect(dropped).toBe(before.length);
  expect(await months()).toEqual([{ name: 'animus.history_2026_11' }]);
  expect(await readWholeLedger(db, tree!.id, 'visible')).toHaveLength(USUAL.ledger);
  expect(await dropMonth(db, 90)).toBe(0);
});

describe('roles', () => {
  const logins: string[] = [];
  const open: Database[] = [];
  afterAll(async () => {
    for (const db of open) await db.close();
    await dropLogins(logins);
  });
  const as = async (role: string) => {
    const db = openPostgres(await createLogin(target.connectionString, role, logins), { poolSize: 1 });
    open.push(db);
    return db;
  };

  test('readers read packed transcripts of months that were created later, submitters the ledgers of their own work, daemons pack', async () => {
    const db = target.database;
    const [submitter, reader, daemon] = [
      await as('animus_submitter'),
      await as('animus_reader'),
      await as('animus_daemon'),
    ];
    const [own] = await submitter.query<{ id: string }>(
      `insert into animus.own_work (faculty) values ('engineer') returning id`,
    );
    const foreign = await insertWork(db);
    for (const id of [own!.id, foreign]) {
      await appendLedger(db, id, 'note', id);
      await db.query('select animus.cancel_work($1)', [id]);
    }
    await clock.set('+400 days');
    expect(await packHistory(daemon, 30, 100)).toBe(2);
    expect(await submitter.query('select content from animus.own_ledger')).toEqual([{ content: own!.id }]);
    for (const view of Object.values(VIEWS)) await reader.query(`select * from animus.${view}`);
    expect(await reader.query('select content from animus.all_ledger order by 1')).toEqual(
      [own!.id, foreign].toSorted().map((content) => ({ content })),
    );
    await expect(submitter.query('select from animus.history')).rejects.toThrow(/permission denied/);
    await expect(submitter.query('select from animus.all_ledger')).rejects.toThrow(/permission denied/);
    expect(await dropMonth(daemon, 1)).toBe(1);
  });
});

/** A dead item whose rows have a value in every column, of the kinds that a conversion could change. */
async function deadWithEverything(db: Database): Promise<string> {
  const id = await insertWork(db);
  const nasty = `line\\n"quoted" \\u0000 \u2028é😀\t{"b":1}`;
  await db.transaction(async (tx) => {
    await tx.query('set local session_replication_role = replica');
    await tx.query(
      `insert into animus.foci (id, work_item_id, number, daemon_id, host, phase, started_at, ended_as, ended_at)
       select gen_random_uuid(), $1, n, gen_random_uuid(), 'h', 'engage', now(), 'failed', now() from generate_series(1, 2) n`,
      [id],
    );
    await tx.query(
      `insert into animus.turns
       select f.id, t, 'p', $2, ('[ {"type":"text",  "text":"a\\ud83d\\ude00", "b":1, "a":1.50, "b":2} ]')::json, 'r', 's', 'raw', '{"a,b","c\\"d",null}', '{"x": null, "n": 1.000}',
              0.000001, 12345678.123456, 0.1, '2026-01-01 00:00:00.123456+00', '2026-01-01 00:00:01+00', 0.1::float8 + 0.2::float8, 'NaN'
         from animus.foci f, generate_series(1, 2) t where f.work_item_id = $1`,
      [id, nasty],
    );
    await tx.query(
      `insert into animus.tool_calls
       select focus_id, turn, 'c' || n, n, $1, case n when 1 then '"only \\u0000 text"'::json else '{ "z":1,"a" : [1e3] }'::json end, 'sandbox', 'p', 'done', $1, 7, true, '{"k": [null]}',
              '2026-01-01 00:00:00.5+00', 'infinity', 1e-300,
              case n when 2 then '{ "y":1,  "y" : [1.50, "\\u0000"] }'::json end, case n when 2 then 9007199254740993 end
         from animus.turns, generate_series(1, 2) n`,
      [nasty],
    );
    await tx.query(
      `insert into animus.focus_messages select id, 1, 2, 'stub', $2, 3, 4, '2026-01-01 00:00:00.000001+00', gen_random_uuid() from animus.foci where work_item_id = $1`,
      [id, nasty],
    );
    await tx.query(
      `insert into animus.work_ledger select $1, n, 'note', $2, gen_random_uuid(), 't', '2026-01-01 00:00:00.000001+00' from generate_series(1, 3) n`,
      [id, nasty],
    );
    await tx.query(
      `update animus.work_items set state = 'dead', resolved_at = animus.now() - interval '1 day' where id = $1`,
      [id],
    );
  });
  return id;
}

/** The rows of tables as text: every byte of every column. */
function rows(db: Database, tables: readonly string[]): Promise<unknown[][]> {
  return Promise.all(tables.map((table) => db.query(`select t::text as row from animus.${table} t order by 1`)));
}

async function reset(db: Database): Promise<void> {
  await emptyQueue(db);
  for (const table of ['history', 'history_position', 'retention_kept']) await db.query(`delete from animus.${table}`);
}
