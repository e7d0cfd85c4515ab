/** A role that may only connect, or only read, cannot block work: it can take no lock that the engine waits for. */
import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import type { Database } from '../../src/store/sql/database.ts';
import { claimOne, insertWork } from '../store/work/queue-driver.ts';
import { asAdmin, testDatabase } from '../support/database.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';

const target = testDatabase();
const stranger = `animus_test_${randomBytes(5).toString('hex')}`;
const logins = [stranger];
let outside: Database;
let reader: Database;
beforeAll(async () => {
  await asAdmin((admin) => admin.query(`create role ${stranger} login password 'p'`));
  const url = new URL(target.connectionString);
  [url.username, url.password] = [stranger, 'p'];
  outside = openPostgres(url.href, { poolSize: 1 });
  reader = openPostgres(await createLogin(target.connectionString, 'animus_reader', logins), { poolSize: 1 });
});
afterAll(async () => {
  await Promise.all([outside.close(), reader.close()]);
  await dropLogins(logins);
});

test('no function of the engine waits for an advisory lock without a limit', async () => {
  expect(
    await target.database.query(
      `select proname from pg_proc where pronamespace = 'animus'::regnamespace and prosrc ~ 'pg_advisory_(xact_)?lock'
          and not coalesce(proconfig::text ~ 'lock_timeout', false)`,
    ),
  ).toEqual([]);
});

test('work, retention and upgrades continue while another role holds every advisory lock that animus ever used', async () => {
  await outside.transaction(async (tx) => {
    await tx.query(`select pg_advisory_lock(hashtextextended('animus.claim', 0)), pg_advisory_lock(hashtextextended('animus.retention', 0)),
      pg_advisory_lock(107126708171635), pg_advisory_lock(7302)`);
    await everythingWorks();
  });
});

test('the only advisory locks left are those of watches and of ends, and each function that takes one is known', async () => {
  const functions = await target.database.query<{ proname: string }>(
    `select proname from pg_proc where pronamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and prosrc ~ 'pg_(try_)?advisory' order by proname`,
  );
  expect(functions.map(({ proname }) => proname)).toEqual(KNOWN);
});

/** Ends only try their locks, in watch_begins; a watcher waits for ends of ours (below). Two are of pgmq: where a migration creates a queue, and what animus does not call. */
const KNOWN = ['acquire_queue_lock', 'read_grouped_rr', 'watch_begins', 'watch_work'];

test.each(['', '_shared'])(
  'a stranger who holds the%s locks of a watch and of ends delays neither a watcher nor the end',
  async (mode) => {
    const db = target.database;
    const id = await insertWork(db);
    // A row that somebody has locked since its last change: a watcher looks for ends.
    await db.query('select from animus.work_items where id = $1 for key share', [id]);
    const [ends] = await db.query<{ key: string }>('select animus.ends_key($1)::text as key', [id]);
    await outside.transaction(async (tx) => {
      await tx.query(
        `select pg_advisory_xact_lock${mode}(hashtextextended($1::uuid::text, 7301)), pg_advisory_xact_lock${mode}($2)`,
        [id, ends!.key],
      );
      // Would raise if it waited longer than this for anything but the stranger's lock, which it gives up on.
      const waits = await waitsWhile(() => db.query(`select animus.watch_work($1)`, [id]));
      expect(waits).toEqual([]);
      const item = await claimOne(db);
      expect(
        await waitsWhile(() => db.query(`select animus.complete_work($1, $2, '{}')`, [item.id, item.leaseToken])),
      ).toEqual([]);
    });
    expect(await db.query('select state from animus.work_items where id = $1', [id])).toEqual([{ state: 'completed' }]);
  },
);

/** The waits for advisory locks, and for those that hold them, that another session sees while this runs. */
async function waitsWhile(run: () => Promise<unknown>): Promise<unknown[]> {
  const seen: unknown[] = [];
  const state = { running: true };
  const ran = run().finally(() => {
    state.running = false;
  });
  const look = target.open({ poolSize: 1 });
  while (state.running) seen.push(...(await look.query(WAITING)));
  await ran;
  await look.close();
  return seen;
}

const WAITING = `select query from pg_stat_activity where datname = current_database() and wait_event in ('advisory', 'PgSleep')`;

test('and while a reader holds every lock that it may take', async () => {
  await reader.transaction(async (tx) => {
    await tx.query(`do $$ declare t regclass; begin
      for t in select c.oid::regclass from pg_class c where c.relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and c.relkind = 'r'
         and has_table_privilege(c.oid, 'select') loop execute format('lock table %s in access share mode', t);
      end loop; end $$`);
    await everythingWorks();
  });
});

test.each(['animus.claim_turn', 'animus.retention_turn', 'animus.skip_turn', 'animus.schema_migrations'])(
  'no other role can lock %s in a way that blocks',
  async (table) => {
    for (const mode of [
      'row share',
      'row exclusive',
      'share update exclusive',
      'share',
      'exclusive',
      'access exclusive',
    ]) {
      for (const who of [outside, reader]) {
        await expect(who.transaction((tx) => tx.query(`lock table ${table} in ${mode} mode`))).rejects.toMatchObject({
          code: 'db.forbidden',
        });
      }
    }
  },
);

async function everythingWorks(): Promise<void> {
  const db = target.database;
  await insertWork(db);
  const item = await claimOne(db);
  await db.query(`select animus.complete_work($1, $2, '{}')`, [item.id, item.leaseToken]);
  const [pruned] = await db.query<{ n: number | null }>(`select animus.prune_archives(interval '1 day') as n`);
  expect(pruned!.n).not.toBeNull();
  await db.query(`update animus.schema_functions set checksum = 'as if they had changed'`);
  expect((await migrate(db, { patienceMs: 5_000 })).functions).not.toEqual([]);
}
