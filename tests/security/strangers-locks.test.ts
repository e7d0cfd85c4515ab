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
      `select proname from pg_proc where pronamespace = 'animus'::regnamespace and prosrc ~ 'pg_advisory'
          and not coalesce(proconfig::text ~ 'lock_timeout', false)`,
    ),
  ).toEqual([]);
});

test('work, retention and upgrades continue while another role holds every advisory lock that animus ever used', async () => {
  await outside.transaction(async (tx) => {
    await tx.query(`select pg_advisory_lock(hashtextextended('animus.claim', 0)), pg_advisory_lock(hashtextextended('animus.retention', 0)),
      pg_advisory_lock(107126708171635)`);
    await everythingWorks();
  });
});

test('and while a reader holds every lock that it may take', async () => {
  await reader.transaction(async (tx) => {
    await tx.query(`do $$ declare t regclass; begin
      for t in select c.oid::regclass from pg_class c where c.relnamespace in ('animus'::regnamespace, 'pgmq'::regnamespace) and c.relkind = 'r'
         and has_table_privilege(c.oid, 'select') loop execute format('lock table %s in access share mode', t);
      end loop; end $$`);
    await everythingWorks();
  });
});

test.each(['animus.claim_turn', 'animus.retention_turn', 'animus.schema_migrations'])(
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
