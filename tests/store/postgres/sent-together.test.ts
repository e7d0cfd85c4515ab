/** Statements that are sent together: one round trip, all or nothing, and a connection that is as usable afterwards as before. */
import { createServer, connect as open, type Socket } from 'node:net';
import { expect, onTestFinished, test } from 'vitest';
import { openPostgres, type PostgresOptions } from '../../../src/store/postgres/postgres.ts';
import type { Database, Statement } from '../../../src/store/sql/database.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const COUNT: Statement = { sql: `select nextval('openings') + $1::int`, params: [0] };
const FAILS: Statement = { sql: 'select 1 / $1::int', params: [0] };

/** One connection. */
function database(url = target.connectionString, options: PostgresOptions = {}): Database {
  const opened = openPostgres(url, { poolSize: 1, ...options });
  onTestFinished(() => opened.close());
  return opened;
}

/** How far the sequence has got. A sequence is not rolled back. */
async function counted(name: string): Promise<number> {
  const [row] = await target.database.query<{ n: number }>(
    `select case when is_called then last_value else 0 end::int as n from ${name}`,
  );
  return row!.n;
}

async function sequences(): Promise<void> {
  await target.database.query('drop sequence if exists openings, statements');
  await target.database.query('create sequence openings');
  await target.database.query('create sequence statements');
}

/** The same connection still answers, and no transaction is open on it. */
async function isUsable(db: Database): Promise<void> {
  const [me] = await db.query<{ pid: number }>('select pg_backend_pid() as pid, $1::int as n', [1]);
  expect(await db.query('select pg_backend_pid() as pid, $1::int as n', [1])).toEqual([me]);
  const [session] = await target.database.query('select state, xact_start from pg_stat_activity where pid = $1', [
    me!.pid,
  ]);
  expect(session).toEqual({ state: 'idle', xact_start: null });
}

test('a statement after an opening is one transaction and one round trip; so is the beginning of a transaction', async () => {
  const relay = await countingRelay(target.connectionString);
  const db = database(relay.url);
  const opening: Statement = { sql: `select set_config('animus.test', $1, true)`, params: ['as alice'] };
  const seen = `select current_setting('animus.test', true) as seen, $1::int as n`;
  await db.query('select $1::int', [1]);

  relay.restart();
  expect(await db.queryAfter(opening, seen, [1])).toEqual([{ seen: 'as alice', n: 1 }]);
  expect(relay.roundTrips()).toBe(1);
  // Both are prepared now.
  relay.restart();
  expect(await db.queryAfter(opening, seen, [2])).toEqual([{ seen: 'as alice', n: 2 }]);
  expect(relay.roundTrips()).toBe(1);
  expect(await db.query(seen, [3])).toEqual([{ seen: '', n: 3 }]);

  relay.restart();
  const both = await db.transaction(
    async (tx) => [await tx.query(seen, [4]), await tx.query('select pg_backend_pid() > $1 as own', [0])],
    opening,
  );
  expect(both).toEqual([[{ seen: 'as alice', n: 4 }], [{ own: true }]]);
  expect(relay.roundTrips()).toBe(3);
  await isUsable(db);
});

test('after an opening that fails, no statement runs, alone or in a transaction, whatever the caller does with the error', async () => {
  await sequences();
  const db = database();
  const next = `select nextval('statements') + $1::int as n`;
  await expect(db.queryAfter(FAILS, next, [0])).rejects.toMatchObject({ code: '22012' });
  await isUsable(db);
  await expect(db.transaction((tx) => tx.query(next, [0]), FAILS)).rejects.toMatchObject({ code: '22012' });
  await isUsable(db);
  await expect(db.transaction((tx) => tx.query(`select nextval('statements')`), FAILS)).rejects.toMatchObject({
    code: '22012',
  });
  const stubborn = db.transaction(async (tx) => {
    for (const params of [[0], undefined]) {
      await tx.query(params ? next : `select nextval('statements')`, params).catch(() => null);
    }
    // Not waited for.
    await Promise.allSettled([tx.query(next, [0]), tx.query(next, [0])]);
  }, FAILS);
  await expect(stubborn).rejects.toMatchObject({ code: '22012' });
  await isUsable(db);
  expect(await counted('statements')).toBe(0);
});

test('a transaction without a statement runs its opening, and one without both sends nothing', async () => {
  await sequences();
  const relay = await countingRelay(target.connectionString);
  const db = database(relay.url);
  expect(await db.transaction(async () => 'done', COUNT)).toBe('done');
  expect(await counted('openings')).toBe(1);
  await expect(db.transaction(async () => 'done', FAILS)).rejects.toMatchObject({ code: '22012' });
  relay.restart();
  expect(await db.transaction(async () => 'nothing')).toBe('nothing');
  expect(relay.roundTrips()).toBe(0);
});

test('if the first statement fails, is cancelled or takes too long, nothing stays and the connection is usable', async () => {
  await sequences();
  await target.database.query('create table if not exists kept (n int)');
  const db = database();
  const insert: Statement = { sql: 'insert into kept values ($1)', params: [1] };
  const late = async (code: string, run: () => Promise<unknown>) => {
    await expect(run()).rejects.toSatisfy((error: { code?: string; cause?: { code?: string } }) =>
      [error.code, error.cause?.code].includes(code),
    );
    await isUsable(db);
  };
  await late('22012', () => db.queryAfter(insert, FAILS.sql, FAILS.params));
  await late('22012', () => db.transaction((tx) => tx.query(FAILS.sql, FAILS.params), insert));
  await late('42P01', () => db.transaction((tx) => tx.query('select $1::int from nowhere', [1]), insert));
  // A value that cannot be written.
  const cyclic: Record<string, unknown> = {};
  cyclic['self'] = cyclic;
  await expect(db.queryAfter(insert, 'select $1::jsonb', [cyclic])).rejects.toThrow('circular');
  await expect(db.transaction((tx) => tx.query('select $1::jsonb', [cyclic]), insert)).rejects.toThrow('circular');
  await isUsable(db);
  await db.query('set statement_timeout = 50');
  await late('57014', () => db.queryAfter(insert, 'select pg_sleep($1)', [60]));
  await late('57014', () => db.transaction((tx) => tx.query('select pg_sleep($1)', [60]), insert));
  await db.query('reset statement_timeout');
  const [me] = await db.query<{ pid: number }>('select pg_backend_pid() as pid');
  const cancelled = late('57014', () => db.transaction((tx) => tx.query('select pg_sleep($1)', [61]), insert));
  await expect
    .poll(() =>
      target.database.query(
        `select pg_cancel_backend(pid) as sent from pg_stat_activity where pid = $1 and wait_event = 'PgSleep'`,
        [me!.pid],
      ),
    )
    .toEqual([{ sent: true }]);
  await cancelled;
  expect(await target.database.query(`select count(*)::int as n from kept where n = 1`)).toEqual([{ n: 0 }]);
});

/** Counts what waits for an answer: each Sync and each simple query of the clients of this relay. */
async function countingRelay(url: string) {
  const to = new URL(url);
  const port = Number(to.port);
  let asked = 0;
  const sockets = new Set<Socket>();
  const server = createServer((client) => {
    const upstream = open(port, to.hostname);
    for (const socket of [client, upstream]) sockets.add(socket.on('error', () => {}));
    let bytes = Buffer.alloc(0);
    let started = false;
    client.on('data', (chunk: Buffer) => {
      upstream.write(chunk);
      bytes = started ? Buffer.concat([bytes, chunk]) : Buffer.alloc(0);
      started = true;
      while (bytes.length >= 5 && bytes.length > bytes.readInt32BE(1)) {
        if ('SQ'.includes(String.fromCharCode(bytes[0]!))) asked++;
        bytes = bytes.subarray(1 + bytes.readInt32BE(1));
      }
    });
    upstream.on('data', (chunk) => client.write(chunk)).on('close', () => client.destroy());
    client.on('close', () => upstream.destroy());
  });
  await new Promise<void>((listening) => server.listen(0, '127.0.0.1', listening));
  onTestFinished(async () => {
    for (const socket of sockets) socket.destroy();
    await new Promise((closed) => server.close(closed));
  });
  to.port = String((server.address() as { port: number }).port);
  return { url: to.href, roundTrips: () => asked, restart: () => void (asked = 0) };
}
