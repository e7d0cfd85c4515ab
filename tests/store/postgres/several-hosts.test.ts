/** Several hosts in one connection string: pool and listener go to the primary, and follow it when another host becomes it. */
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect, onTestFinished, test } from 'vitest';
import { openNotifications } from '../../../src/store/postgres/notifications.ts';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/postgres.ts';
import { psqlEnvironment } from '../../../src/store/postgres/psql-environment.ts';
import { eventually } from '../../support/eventually.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';

let servers: readonly [standby: PostgresServer, primary: PostgresServer];
// For each try: the tests stop servers and promote them.
beforeEach(async () => {
  servers = await Promise.all([startPostgresServer(), startPostgresServer()]);
});
afterEach(async () => {
  await Promise.all(servers.map((server) => server.stop()));
});

/** Both, the one that becomes the standby first. */
function both(more = ''): string {
  const [{ port: standby }, { port: primary }] = servers;
  return `postgres://postgres:test@127.0.0.1:${standby},127.0.0.1:${primary}/postgres?sslmode=disable${more}`;
}

function open(url: string, options: PostgresOptions = {}) {
  const db = openPostgres(url, { poolSize: 2, ...options });
  onTestFinished(() => db.close());
  return db;
}

test('the primary is used, and the one that is promoted after it is gone', async () => {
  const [standby, primary] = servers;
  const [{ directory }] = (await queryOnce(standby.url, `select current_setting('data_directory') as directory`)) as [
    { directory: string },
  ];
  await standby.stopServer();
  writeFileSync(join(directory, 'standby.signal'), '');
  // It is ready for reads only, and the package waits until it is ready for writes.
  const promoted = standby.startServer();
  promoted.catch(() => {});
  await eventually('the standby answers', () => queryOnce(standby.url, 'select').catch(() => null));

  const db = open(both());
  expect(db.where).toBe(`127.0.0.1:${standby.port},127.0.0.1:${primary.port}/postgres`);
  const port = async () =>
    Number((await db.query<{ port: string }>(`select current_setting('port') as port`))[0]!.port);
  expect(await Promise.all([port(), port(), port()])).toEqual([primary.port, primary.port, primary.port]);
  await db.query('create table written ()');
  const heard: string[] = [];
  let reconnected = 0;
  const listener = openNotifications(db, ['news'], {
    onNotify: (_, payload) => void heard.push(payload),
    onReconnect: () => void reconnected++,
  });
  await listener.start();
  onTestFinished(() => listener.stop());
  await db.query(`notify news, 'before'`);
  await eventually('it is heard', () => (heard.includes('before') ? true : null));
  expect(await open(both('&target_session_attrs=any')).query('select pg_is_in_recovery() as standby')).toEqual([
    { standby: true },
  ]);
  const alone = `${standby.url}&target_session_attrs=read-write`;
  await expect(open(alone).query('select')).rejects.toMatchObject({
    code: 'db.unreachable',
    message: expect.stringContaining('it is a standby, which cannot be written to'),
  });
  await expect(
    openNotifications({ ...db, connectionString: alone }, ['news'], { onNotify() {}, onReconnect() {} }).start(),
  ).rejects.toThrow('it is a standby, which cannot be written to');
  expect(() => openPostgres(`${standby.url}&target_session_attrs=standby`)).toThrow('read-write, primary or any');

  await primary.stopServer();
  const refused = await eventually('no host can be written to', () =>
    db.query('select').then(
      () => null,
      (error: Error) => (error.message.includes('it is a standby') ? error : null),
    ),
  );
  expect(refused).toMatchObject({ code: 'db.unreachable' });
  expect(refused.message).toContain(`127.0.0.1:${standby.port}: it is a standby, which cannot be written to`);
  expect(refused.message).toMatch(new RegExp(`127.0.0.1:${primary.port}: .*ECONNREFUSED`));

  await queryOnce(standby.url, 'select pg_promote()');
  await promoted;
  await eventually('the pool follows', () => db.query('create table written_too ()').catch(() => null));
  expect(await port()).toBe(standby.port);
  await eventually('the listener follows', () => (reconnected > 0 && listener.listening() ? true : null));
  await db.query(`notify news, 'after'`);
  await eventually('it is heard', () => (heard.includes('after') ? true : null));
  await primary.startServer();
  expect(await port()).toBe(standby.port);
});

test('a refused login is not tried at the next host, and a full pool stays where it is', async () => {
  const wrong = both().replace(':test@', ':wrong@');
  await expect(open(wrong).query('select')).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining('password authentication failed'),
  });
  const small = open(both(), { poolSize: 1, connectTimeoutMs: 8000 });
  await small.transaction(async (tx) => {
    await expect(small.query('select')).rejects.toThrow('1 of 1 connections in use');
    await tx.query('select');
  });
});

test('psql gets them all', () => {
  const hosts = { PGHOST: 'a,b', PGPORT: '1,2', PGUSER: 'ada', PGTARGETSESSIONATTRS: 'read-write' };
  expect(psqlEnvironment('postgres://ada@a:1,b:2/work')).toMatchObject(hosts);
  expect(psqlEnvironment('postgres://ada@a:1/work')).toMatchObject({ PGHOST: 'a', PGTARGETSESSIONATTRS: undefined });
  expect(psqlEnvironment('postgres://ada@a:1/work?target_session_attrs=primary')).toMatchObject({
    PGHOST: 'a',
    PGTARGETSESSIONATTRS: 'read-write',
  });
});

async function queryOnce(url: string, sql: string): Promise<object[]> {
  const db = openPostgres(url, { poolSize: 1 });
  try {
    return await db.query(sql);
  } finally {
    await db.close();
  }
}
