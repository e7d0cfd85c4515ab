/** Promise: with a publication for all tables, as a warehouse makes one, all work goes on, and the subscriber has the same rows. */
import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import {
  packHistory,
  pruneArchives,
  pruneArtifacts,
  pruneRegisters,
  pruneWork,
} from '../../src/store/work/retention.ts';
import { startTestDaemon } from '../support/daemon.ts';
import { eventually } from '../support/eventually.ts';
import { OLDER_POSTGRES, startOlderPostgres } from '../support/older-postgres.ts';
import { startPostgresServer } from '../support/postgres-server.ts';
import { caughtUp, prepareSubscriber, subscribe, tablesOf } from '../support/subscriber.ts';

interface Server {
  readonly url: string;
  stop(): Promise<void>;
}

const LOGICAL = ['-c', 'wal_level=logical'];
const newest = (): Promise<Server> => startPostgresServer(LOGICAL);
const oldest = (): Promise<Server> => startOlderPostgres(OLDER_POSTGRES!, LOGICAL);

const PAIRS: readonly (readonly [
  publisher: string,
  subscriber: string,
  () => Promise<Server>,
  () => Promise<Server>,
])[] =
  OLDER_POSTGRES === null
    ? [['18', '18; NOT TESTED HERE: PostgreSQL 15', newest, newest]]
    : [
        ['15', '18', oldest, newest],
        ['18', '15', newest, oldest],
      ];

describe.each(PAIRS)(
  'a publisher of PostgreSQL %s with a subscriber of %s',
  (_of, _to, startPublisher, startSubscriber) => {
    const servers: Server[] = [];
    let publisher: Database;
    let subscriber: Database;
    let publisherUrl: string;
    // For each try.
    beforeEach(async () => {
      servers.push(...(await Promise.all([startPublisher(), startSubscriber()])));
      publisherUrl = await createDatabase(servers[0]!.url);
      publisher = openPostgres(publisherUrl);
      subscriber = openPostgres(await createDatabase(servers[1]!.url));
    }, 180_000);
    afterEach(async () => {
      await subscriber?.query('drop subscription if exists warehouse');
      await publisher?.close();
      await subscriber?.close();
      for (const server of servers.splice(0)) await server.stop();
    }, 180_000);

    it('has the same rows after items with keys, waits, memories, spend and retention', async () => {
      // It is there before animus comes.
      await publisher.query('create publication warehouse for all tables with (publish_via_partition_root = true)');
      await migrate(publisher);
      await prepareSubscriber(subscriber);
      await subscribe(subscriber, publisherUrl);

      await live(publisher, publisherUrl);
      const alive = await sameRows(publisher, subscriber);
      for (const table of [
        'work_items',
        'foci',
        'turns',
        'memories',
        'memory_counts',
        'spend_sums',
        'waits',
        'work_ledger',
      ])
        expect(alive.get(`animus.${table}`), table).toBeGreaterThan(0);
      expect(alive.get('animus.freed_keys')).toBe(0);

      await retain(publisher);
      const left = await sameRows(publisher, subscriber);
      expect(left.get('animus.work_items')).toBe(1);
      expect(left.get('animus.history_position')).toBe(1);
      expect(left.get('pgmq.a_animus_work')).toBe(0);
    }, 240_000);
  },
);

const FACULTY = `
[faculty]
name = "clerk"
[faculty.engage]
model = "play/scripted"
system_prompt = "You file."
tools = ["memory_store"]
`;

const SCRIPT = `
[[answer]]
call = [{ tool = "memory_store", input = { content = "The shop sells tea", layer = "global" } },
        { tool = "ledger_append", input = { type = "finding", content = "tea" } }]
[[answer]]
call = [{ tool = "wait_until", input = { seconds = 1, reason = "the kettle" } }]
[[answer]]
text = "Done."
usage = { input = 1000, output = 10 }
`;

async function live(db: Database, databaseUrl: string): Promise<void> {
  const daemon = await startTestDaemon({ databaseUrl, script: SCRIPT, files: { 'faculties/clerk.toml': FACULTY } });
  // Of one key, so that they run one after the other; the last of them is a duplicate.
  await db.query(
    `insert into animus.work_items (faculty, description, concurrency_key, dedup_key)
     values ('clerk', 'one', 'tea', null), ('clerk', 'two', 'tea', null), ('clerk', 'three', 'tea', 'once'), ('clerk', 'three', 'tea', 'once')`,
  );
  await db.query(`insert into animus.work_items (faculty, description) values ('nobody', 'not wanted')`);
  await db.query(`select animus.cancel_work(id) from animus.work_items where faculty = 'nobody'`);
  await eventually('all is done and added up', async () => {
    const [row] = await db.query<{ over: number; spent: number }>(
      `select (select count(*)::int from animus.work_items where state = 'completed') as over, (select count(*)::int from animus.spend_calls) as spent`,
    );
    return row!.over === 3 && row!.spent === 0 ? true : null;
  });
  await daemon.stop();
  // What no item of this test does.
  await db.query(`update animus.notice_secret set secret = secret || '\\x00'`);
  const warning = `insert into animus.budget_warnings (account_id, focus_id, attempt, content) select 1, id, gen_random_uuid(), 'four fifths' from animus.foci`;
  for (const sql of [warning, `update animus.budget_warnings set amount = 1`, `delete from animus.budget_warnings`])
    await db.query(sql);
  await db.query(`select pgmq.create('other'), pgmq.bind_topic('a.*', 'other')`);
  await db.query(`select pgmq.drop_queue('other')`);
}

/** As years later: all of it is packed; then all but one item that is still open is deleted. */
async function retain(db: Database): Promise<void> {
  await db.query(`insert into animus.work_items (faculty, description) values ('nobody', 'open')`);
  await packHistory(db, 0, 100);
  expect(await db.query('select count(*)::int as packed from animus.history')).not.toEqual([{ packed: 0 }]);
  expect(await sizeOf(db, 'animus.turns')).toBe(0);
  await pruneArtifacts(db, 0, 1000);
  await pruneArchives(db, 0, 1000);
  await pruneRegisters(db, 1000);
  await pruneWork(db, 0, 1000, null);
}

async function sizeOf(db: Database, table: string): Promise<number> {
  const [row] = await db.query<{ n: number }>(`select count(*)::int as n from ${table}`);
  return row!.n;
}

async function createDatabase(server: string): Promise<string> {
  const admin = openPostgres(server, { poolSize: 1 });
  await admin.query('create database shop');
  await admin.close();
  const url = new URL(server);
  url.pathname = '/shop';
  return url.href;
}

/** Waits until the subscriber has all, compares each table, and returns its rows. */
async function sameRows(publisher: Database, subscriber: Database): Promise<Map<string, number>> {
  await caughtUp(publisher);
  const counts = new Map<string, number>();
  for (const table of await tablesOf(publisher)) {
    const [there, here] = await Promise.all([publisher, subscriber].map((db) => rowsOf(db, table)));
    expect(here, table).toEqual(there);
    counts.set(table, there!.length);
  }
  return counts;
}

async function rowsOf(db: Database, table: string): Promise<readonly string[]> {
  const rows = await db.query<{ row: string }>(`select t::text as row from ${table} t order by t::text collate "C"`);
  return rows.map(({ row }) => row);
}
