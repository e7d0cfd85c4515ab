import { afterAll, beforeAll, expect, test } from 'vitest';
import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { asAdmin, embeddedDatabase, testDatabase } from '../../support/database.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';

const target = testDatabase({ empty: true });
const embedded = embeddedDatabase();
// A separate server that can be stopped and started again.
let server: PostgresServer;
beforeAll(async () => {
  server = await startPostgresServer();
});
afterAll(() => server.stop());

function listen(database: Database) {
  const heard: string[] = [];
  let reconnects = 0;
  const service = openNotifications(database, ['work_ready', 'Odd "channel"'], {
    onNotify: (channel, payload) => void heard.push(`${channel}:${payload}`),
    onReconnect: () => void reconnects++,
  });
  return { service, heard, reconnects: () => reconnects };
}

/** Connections to the test's own database that listen. */
async function listeners(database: Database): Promise<number> {
  const rows = await database.query(
    "select from pg_stat_activity where application_name = 'animus-listen' and datname = current_database()",
  );
  return rows.length;
}

test('notifications of every channel arrive, with empty payloads and odd names', async () => {
  const { service, heard } = listen(target.database);
  await service.start();
  await target.database.query("select pg_notify('work_ready', ''), pg_notify('Odd \"channel\"', 'ünïcode {not json')");
  await expect.poll(() => heard).toEqual(['work_ready:', 'Odd "channel":ünïcode {not json']);
  await service.stop();
  await expect.poll(() => listeners(target.database)).toBe(0);
});

test('a listener whose connection is terminated listens again and reports it', async () => {
  const { service, heard, reconnects } = listen(target.database);
  await service.start();
  for (const round of [1, 2, 3]) {
    await target.database.query(
      "select pg_terminate_backend(pid) from pg_stat_activity where application_name = 'animus-listen'",
    );
    await expect.poll(reconnects, { timeout: 10_000 }).toBe(round);
    await target.database.query("select pg_notify('work_ready', $1)", [String(round)]);
    await expect.poll(() => heard).toContain(`work_ready:${round}`);
  }
  expect(await listeners(target.database)).toBe(1);
  await service.stop();
});

test('pool and listener survive a restart of the server', async () => {
  const database = openPostgres(server.url);
  const { service, heard, reconnects } = listen(database);
  await service.start();
  await server.stopServer();
  await expect(database.query('select 1')).rejects.toMatchObject({ code: 'db.unreachable' });
  await server.startServer();
  expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
  await expect.poll(reconnects, { timeout: 15_000 }).toBe(1);
  await database.query("select pg_notify('work_ready', 'back')");
  await expect.poll(() => heard).toEqual(['work_ready:back']);
  await service.stop();
  await database.close();
});

test('stopping while the server is away ends the reconnecting for good', async () => {
  const database = openPostgres(server.url);
  const { service, reconnects } = listen(database);
  await service.start();
  await server.stopServer();
  await service.stop();
  await service.stop();
  await server.startServer();
  await database.query('select pg_sleep(0.5)');
  expect(await listeners(database)).toBe(0);
  expect(reconnects()).toBe(0);
  await database.close();
});

test('on the embedded database a listener hears only its own channels, also while another client listens on more', async () => {
  const { service, heard } = listen(embedded.database);
  const others: string[] = [];
  const other = openNotifications(embedded.database, ['elsewhere'], {
    onNotify: (channel) => void others.push(channel),
    onReconnect: () => {},
  });
  await service.start();
  await other.start();
  await embedded.database.query("select pg_notify('elsewhere', ''), pg_notify('work_ready', '')");
  await expect.poll(() => heard).toContain('work_ready:');
  await expect.poll(() => others).toContain('elsewhere');
  expect(heard).toEqual(['work_ready:']);
  await service.stop();
  await other.stop();
});

test('on the embedded database they arrive too, from another client and from a transaction', async () => {
  const { service, heard } = listen(embedded.database);
  await service.start();
  await embedded.database.transaction(async (tx) => {
    await tx.query("select pg_notify('work_ready', $1)", ['one']);
    expect(heard).toEqual([]);
  });
  await expect.poll(() => heard).toEqual(['work_ready:one']);
  const other = openPostgres(embedded.database.connectionString, { poolSize: 1 });
  await other.query("set search_path = nowhere; select pg_notify('work_ready', 'two')");
  await other.close();
  await expect.poll(() => heard).toEqual(['work_ready:one', 'work_ready:two']);
  await embedded.database.query("select pg_notify('work_ready', 'three')");
  await expect.poll(() => heard).toHaveLength(3);
  await service.stop();
});

test('a failed first connection is reported', async () => {
  const nowhere = openPostgres('postgres://postgres@127.0.0.1:1/postgres');
  await expect(listen(nowhere).service.start()).rejects.toMatchObject({ code: 'db.unreachable' });
  await nowhere.close();
});

test('a listener that was never started can be stopped', async () => {
  await listen(target.database).service.stop();
  expect(await asAdmin(listeners)).toBe(0);
});
