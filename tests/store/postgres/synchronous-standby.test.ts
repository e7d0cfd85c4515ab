/** Promise: with synchronous_commit = remote_apply and a standby, animus works, and what it has committed is on the standby. */
import { execFileSync } from 'node:child_process';
import { appendFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, test } from 'vitest';
import type { Database } from '../../../src/store/sql/database.ts';
import { onDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';
import { APPLICATION, asAnimus, asApplication, install, RIGHT } from './setting-matrix.ts';

let primary: PostgresServer;
let standby: PostgresServer;
beforeAll(async () => {
  [primary, standby] = await Promise.all([startPostgresServer(), startPostgresServer()]);
  const [of, to] = await Promise.all([directoryOf(primary.url), directoryOf(standby.url)]);
  await Promise.all([primary.stopServer(), standby.stopServer()]);
  rmSync(to, { recursive: true });
  execFileSync('cp', ['-a', of, to]);
  writeFileSync(join(to, 'standby.signal'), '');
  appendFileSync(
    join(to, 'postgresql.auto.conf'),
    `primary_conninfo = 'host=127.0.0.1 port=${primary.port} user=postgres password=test'\n`,
  );
  await primary.startServer();
  // The package waits until it is ready for writes, which a standby never is.
  standby.startServer().catch(() => {});
  await onDatabase(primary.url, async (db) => {
    await eventually(
      'the standby receives',
      async () => (await db.query('select from pg_stat_replication'))[0] ?? null,
    );
    await db.query(`alter system set synchronous_commit = 'remote_apply'`);
    await db.query(`alter system set synchronous_standby_names = '*'`);
    await db.query('select pg_reload_conf()');
    await eventually(
      'it is synchronous',
      async () => (await db.query(`select from pg_stat_replication where sync_state = 'sync'`))[0] ?? null,
    );
  });
});
afterAll(() => Promise.all([standby?.stop(), primary?.stop()]));

test('work is done as on one server, and the standby has it at once', async () => {
  await onDatabase(primary.url, async (db) => {
    expect(await db.query('show synchronous_commit')).toEqual([{ synchronous_commit: 'remote_apply' }]);
    expect(await install(db)).toBeGreaterThan(60);
    expect(await asAnimus(db)).toEqual(RIGHT);
    await db.query('delete from animus.schedules');
    expect(await asApplication(primary.url)).toEqual(APPLICATION);
    const read = (from: Database) =>
      from.query('select id, faculty, state, run_at, outcome from animus.work_items order by id');
    const rows = await read(db);
    expect(rows).toHaveLength(3);
    await onDatabase(standby.url, async (copy) => expect(await read(copy)).toEqual(rows));
  });
});

async function directoryOf(url: string): Promise<string> {
  return onDatabase(url, async (db) => {
    const [row] = await db.query<{ directory: string }>(`select current_setting('data_directory') as directory`);
    return row!.directory;
  });
}
