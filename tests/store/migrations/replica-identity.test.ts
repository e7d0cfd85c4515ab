/** Promise: no publication of a warehouse stops animus, and what one does that cannot be is named as the server sees it. */
import { describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { refusedTables } from '../../../src/store/migrations/replica-identity.ts';
import type { Database, Queryable } from '../../../src/store/sql/database.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { run } from '../../cli/run-cli.ts';
import { embeddedDatabase, testDatabase } from '../../support/database.ts';
import { migrateFirstSchema } from '../../support/first-schema.ts';
import { claimOne, insertWork } from '../work/queue-driver.ts';

const target = testDatabase();
const embedded = embeddedDatabase();

test.each(['postgres', 'embedded'])(
  'on %s, rows of every table of ours can be told apart by a subscriber',
  async (kind) => {
    const { database } = kind === 'postgres' ? target : embedded;
    // These tables are made while work goes on.
    await database.query('select animus.open_month(animus.month_of(animus.now()))');
    await database.query(`select animus.prepare_embeddings('m', 3)`);
    const tables = await database.query<{ name: string; identity: string; problem: string | null }>(OF_EVERY_TABLE);
    expect(tables.length).toBeGreaterThan(60);
    expect(tables.filter(({ problem }) => problem !== null)).toEqual([]);
    const names = tables.map(({ name }) => name);
    for (const name of ['pgmq.meta', 'animus.freed_keys']) expect(names).toContain(name);
    if (kind === 'embedded') expect(names).toContain('animus.memory_embeddings');
  },
);

/** In all schemas but those of the server. Of a table whose whole row tells, each type can be compared, and no column is generated. */
const OF_EVERY_TABLE = `
  select c.oid::regclass::text as name, c.relreplident::text as identity,
         case when c.relreplident = 'f' then
                (select 'whole row with ' || string_agg(a.attname, ', ') from pg_attribute a join pg_type t on t.oid = a.atttypid
                  where a.attrelid = c.oid and a.attnum > 0 and not a.attisdropped
                    and (a.attgenerated <> '' or t.typname in ('json', 'xml', 'point', 'polygon')))
              when exists (select from pg_index i where i.indrelid = c.oid and i.indisvalid and i.indimmediate
                              and case c.relreplident when 'd' then i.indisprimary when 'i' then i.indisreplident end) then null
              else 'none' end as problem
    from pg_class c join pg_namespace n on n.oid = c.relnamespace
   where c.relkind in ('r', 'p') and c.relpersistence = 'p' and n.nspname !~ '^pg_' and n.nspname not in ('information_schema', 'public')`;

test.each([
  [
    'a table without an identity',
    `alter table animus.freed_keys replica identity default; create publication p for all tables`,
    'no identity',
    ['animus.freed_keys'],
  ],
  [
    'one whose identity was switched off',
    `alter table animus.turns replica identity nothing; create publication p for tables in schema animus`,
    'no identity',
    ['animus.turns'],
  ],
  [
    'a WHERE that reads the state',
    `create publication p for table animus.work_items where (state = 'completed'), animus.foci where (id is not null)`,
    'filter',
    ['animus.work_items'],
  ],
  [
    'a list of columns without the key',
    `create publication p for table animus.memories (content), animus.foci (id, number)`,
    'columns',
    ['animus.memories'],
  ],
  [
    'a list of columns of a table without a key',
    `create publication p for table animus.spend_calls (usd, day)`,
    'columns',
    ['animus.spend_calls'],
  ],
  [
    'generated columns in the identity',
    `alter table animus.memories replica identity full; create publication p for all tables`,
    'generated',
    ['animus.memories'],
  ],
  [
    'an archive of pgmq without a key',
    `alter table pgmq.a_animus_work drop constraint a_animus_work_pkey; create publication p for tables in schema pgmq`,
    'no identity',
    ['pgmq.a_animus_work'],
  ],
  [
    'what only inserts',
    `alter table animus.freed_keys replica identity default; create publication p for all tables with (publish = 'insert')`,
    null,
    [],
  ],
  [
    'a publication of other tables',
    `create table public.orders (n int); create publication p for table public.orders`,
    null,
    [],
  ],
] as const)(
  '%s: named as the server judges it, and the statement that is named helps',
  async (_what, setUp, reason, tables) => {
    await undone(target.database, async (tx) => {
      const before = await judgedByServer(tx);
      expect(before).toEqual([]);
      await tx.query(setUp);
      const refused = await refusedTables(tx);
      const judged = await judgedByServer(tx);
      expect(refused.map(({ table }) => table)).toEqual(judged);
      // Before version 18, a server does not look at generated columns.
      if (judged.length > 0 || reason !== 'generated') expect(judged).toEqual(tables);
      for (const row of refused) {
        expect(row).toMatchObject({ publication: 'p', reason, changed: true, mayAlter: true });
        await tx.query(row.cure);
      }
      expect([await refusedTables(tx), await judgedByServer(tx)]).toEqual([[], []]);
    });
  },
);

/** The tables of which the server refuses an update or a delete. Explaining one asks, and changes nothing. */
async function judgedByServer(tx: Queryable): Promise<readonly string[]> {
  await tx.query(`create function pg_temp.refused() returns setof text language plpgsql as $$
    declare v_table record;
    begin
      for v_table in select c.oid::regclass::text as name, (select a.attname from pg_attribute a where a.attrelid = c.oid and a.attnum > 0 and a.attgenerated = '' and a.attidentity <> 'a' and not a.attisdropped limit 1) as col
                       from pg_class c where c.relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and c.relkind = 'r' order by 1 loop
        begin
          execute format('explain delete from %s', v_table.name);
          if v_table.col is not null then execute format('explain update %s set %I = %2$I', v_table.name, v_table.col); end if;
        exception when object_not_in_prerequisite_state or invalid_column_reference then return next v_table.name;
        end;
      end loop;
    end $$`);
  const rows = await tx.query<{ name: string }>('select name from pg_temp.refused() name');
  await tx.query('drop function pg_temp.refused()');
  return rows.map(({ name }) => name);
}

async function undone(db: Database, work: (tx: Queryable) => Promise<void>): Promise<void> {
  const done = new Error('undone');
  const ran = db.transaction(async (tx) => {
    await work(tx);
    throw done;
  });
  await ran.catch((error: unknown) => {
    if (error !== done) throw error;
  });
}

describe('a publication for all tables that is there before animus', () => {
  const fresh = testDatabase({ empty: true });
  const first = testDatabase({ empty: true });

  test('does not stop an installation', async () => {
    await fresh.database.query('create publication everything for all tables');
    await migrate(fresh.database);
    expect(await refusedTables(fresh.database)).toEqual([]);
    await lifeOfKeyed(fresh.database);
  });

  test('does not stop an upgrade of version 0.1.0', async () => {
    await migrateFirstSchema(first.database);
    await insertWork(first.database, { faculty: 'clerk' });
    await first.database.query('create publication everything for all tables');
    await migrate(first.database);
    expect(await refusedTables(first.database)).toEqual([]);
    await lifeOfKeyed(first.database);
  });
});

/** Each of two items with one key is claimed and ended. */
async function lifeOfKeyed(db: Database): Promise<void> {
  for (let n = 0; n < 2; n++) await insertWork(db, { concurrency_key: 'tea' });
  for (let n = 0; n < 2; n++) {
    const work = await claimOne(db);
    await completeWork(db, work, {}, null);
  }
  expect(await db.query('select count(*)::int as n from animus.freed_keys')).toEqual([{ n: 1 }]);
}

test('animus doctor names the tables, the publication and the statement, and nothing where all is well', async () => {
  const db = target.database;
  const doctor = async () => {
    const { stdout } = await run(['doctor', '--json'], { env: { DATABASE_URL: target.connectionString } });
    return (JSON.parse(stdout) as { findings: { check: string }[] }).findings.filter(
      ({ check }) => check === 'publications',
    );
  };
  await db.query('create publication "the warehouse" for all tables');
  expect(await doctor()).toEqual([]);
  await db.query(
    'alter table animus.freed_keys replica identity default; alter table pgmq.meta replica identity default',
  );
  expect(await doctor()).toEqual([
    {
      check: 'publications',
      state: 'problem',
      detail:
        'because of the publication "the warehouse" the server refuses updates and deletes of tables without a primary key or a replica identity: animus.freed_keys',
      remedy: expect.stringMatching(/^run as \w+: alter table animus.freed_keys replica identity full;$/),
    },
    {
      check: 'publications',
      state: 'note',
      detail: expect.stringContaining(': pgmq.meta'),
      remedy: expect.stringMatching(
        /^run as \w+: alter table pgmq.meta replica identity using index meta_queue_name_key;$/,
      ),
    },
  ]);
  // pgmq's own are put right by the next migration.
  await migrate(db);
  expect(await doctor()).toHaveLength(1);
  await db.query('alter table animus.freed_keys replica identity full; drop publication "the warehouse"');
});
