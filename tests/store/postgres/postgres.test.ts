import { createServer, type Server } from 'node:net';
import { expect, test } from 'vitest';
import type { ErrorCode } from '../../../src/core/errors/error-table.ts';
import { AnimusError } from '../../../src/core/errors/errors.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { databaseUrl, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const target = testDatabase({ empty: true });

function urlWith(change: (url: URL) => void): string {
  const url = new URL(target.connectionString);
  change(url);
  return url.href;
}

async function failureOf(connectionString: string, connectTimeoutMs = 20_000): Promise<AnimusError> {
  const database = openPostgres(connectionString, { connectTimeoutMs });
  try {
    await database.query('select 1');
    throw new Error('it connected');
  } catch (error) {
    if (error instanceof AnimusError) return error;
    throw error;
  } finally {
    await database.close();
  }
}

async function listening(onConnection: Parameters<typeof createServer>[1]): Promise<{ server: Server; port: number }> {
  const server = createServer(onConnection);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  return { server, port: (server.address() as { port: number }).port };
}

/** Terminates every other connection to the test database, as an administrator or a failover would. */
async function endConnections(): Promise<void> {
  const admin = target.open({ poolSize: 1 });
  await admin.query(
    'select pg_terminate_backend(pid) from pg_stat_activity where datname = current_database() and pid <> pg_backend_pid()',
  );
  await admin.close();
}

test.each<[string, (url: URL) => unknown, ErrorCode, RegExp]>([
  ['a wrong password', (url: URL) => (url.password = 'wrong'), 'db.refused', /password authentication failed/],
  [
    'a database that is not there',
    (url: URL) => (url.pathname = '/nowhere'),
    'db.refused',
    /"nowhere" does not exist; create it/,
  ],
  [
    'a server without SSL',
    (url: URL) => url.searchParams.set('sslmode', 'require'),
    'db.refused',
    /SSL.*sslmode=disable/,
  ],
  ['a port nobody listens on', (url: URL) => (url.port = '1'), 'db.unreachable', /ECONNREFUSED/],
])('%s is told apart, by code and without the password', async (_, change, code, message) => {
  const failure = await failureOf(urlWith(change));
  expect(failure.code).toBe(code);
  expect(failure.message).toMatch(message);
  expect(JSON.stringify([failure.message, failure.details])).not.toMatch(/postgres:|wrong|test@/);
});

test('a server that accepts connections and never answers times out', async () => {
  const { server, port } = await listening(() => {});
  const failure = await failureOf(
    urlWith((url) => (url.port = String(port))),
    200,
  );
  expect(failure.code).toBe('db.unreachable');
  server.close();
});

test('a server that sends invalid data fails the call, not the process', async () => {
  const { server, port } = await listening((socket) => void socket.end('HTTP/1.1 400 Bad Request\r\n\r\n'));
  expect((await failureOf(urlWith((url) => (url.port = String(port))))).code).toBe('db.unreachable');
  server.close();
});

test('a connection string that cannot be parsed is refused without being shown', () => {
  expect(() => openPostgres('postgres://me:hunter2@[bad:5432/x')).toThrow(
    expect.objectContaining({ code: 'config.invalid', message: expect.not.stringContaining('hunter2') }),
  );
});

test('a missing certificate file is named', () => {
  expect(() => openPostgres('postgres://me:hunter2@db/x?sslmode=verify-full&sslrootcert=/nowhere/ca.pem')).toThrow(
    expect.objectContaining({
      code: 'config.unreadable',
      message: '/nowhere/ca.pem: cannot be read: ENOENT (named in DATABASE_URL)',
    }),
  );
});

test('values arrive as documented: bigint and numeric as text, jsonb parsed, timestamptz as Date', async () => {
  const params = [{ text: '‮ünïcode \u{1F9E0}', nested: [1, null] }, '9007199254740993'];
  const [row] = await target.database.query(
    `select $1::jsonb as json, $2::bigint as big, 1.10::numeric as number, '2026-01-02T03:04:05Z'::timestamptz as at, null as nothing`,
    params,
  );
  expect(row).toEqual({
    json: params[0],
    big: '9007199254740993',
    number: '1.10',
    at: new Date('2026-01-02T03:04:05Z'),
    nothing: null,
  });
});

test('eight megabytes can be written and read back', async () => {
  const text = 'é'.repeat(4_000_000);
  expect(await target.database.query('select $1::text as text', [text])).toEqual([{ text }]);
});

test('a text with several statements returns the rows of the last', async () => {
  expect(await target.database.query('select 1 as a; select 2 as b')).toEqual([{ b: 2 }]);
});

test.each([
  ['WA001', 'work.lease_lost', /lease on work item 0190 is lost/],
  ['WA002', 'work.state', /^not so$/],
  ['WA003', 'work.not_found', /^not so$/],
  ['WA004', 'work.invalid', /^not so$/],
  ['WA005', 'work.cancelled', /0190 was cancelled: not so/],
  ['WA006', 'work.budget', /is used up: not so; raise it/],
  ['WA007', 'http.unauthorized', /^not so; use a valid token/],
] as const)('%s raised in SQL becomes %s', async (state, code, message) => {
  for (const detail of ['{"id": "0190"}', '0190']) {
    const raised = target.database.query(
      `do $$ begin raise exception using errcode = '${state}', message = 'not so', detail = '${detail}'; end $$`,
    );
    await expect(raised).rejects.toMatchObject({
      code,
      message: expect.stringMatching(message),
      details: { id: '0190' },
    });
  }
});

test('the hint of an error raised in SQL is in its message', async () => {
  const raised = target.database.query(
    `do $$ begin raise exception using errcode = 'WA002', message = 'no', hint = 'wait'; end $$`,
  );
  await expect(raised).rejects.toMatchObject({ code: 'work.state', message: 'no; wait' });
});

test('any other SQLSTATE stays the error of the driver', async () => {
  await expect(target.database.query('select 1/0')).rejects.toMatchObject({ code: '22012', name: 'error' });
});

test('a transaction commits everything or nothing, and gives its connection back either way', async () => {
  const database = target.open({ poolSize: 1 });
  await database.query('create table kept (n int)');
  await database.transaction((tx) => tx.query('insert into kept values (1)'));
  const failing = database.transaction(async (tx) => {
    await tx.query('insert into kept values (2)');
    throw new Error('changed my mind');
  });
  await expect(failing).rejects.toThrow('changed my mind');
  expect(await database.query('select n from kept')).toEqual([{ n: 1 }]);
});

test('a transaction that ignored a failed statement is not reported as committed', async () => {
  const swallowing = target.database.transaction((tx) => tx.query('select 1/0').catch(() => []));
  await expect(swallowing).rejects.toMatchObject({ code: 'internal.bug' });
});

test('connections terminated while idle are replaced unnoticed', async () => {
  const database = target.open({ poolSize: 5 });
  await Promise.all([1, 2, 3, 4, 5].map(() => database.query('select pg_sleep(0.05)')));
  await endConnections();
  // The pool may use a connection whose end it has not read yet: that one call fails, the next does not.
  await database.query('select 1').catch((error: unknown) => expect(error).toMatchObject({ code: 'db.unreachable' }));
  const after = await Promise.all([1, 2, 3, 4, 5].map((n) => database.query('select $1::int as n', [n])));
  expect(after).toEqual([1, 2, 3, 4, 5].map((n) => [{ n }]));
});

test('a connection terminated in a transaction fails it as unreachable, once, and it is not repeated', async () => {
  const database = target.open({ poolSize: 1 });
  let runs = 0;
  const cut = database.transaction(async (tx) => {
    runs++;
    await tx.query('select 1');
    await endConnections();
    await tx.query('select 2');
  });
  await expect(cut).rejects.toMatchObject({ code: 'db.unreachable' });
  expect(runs).toBe(1);
  expect(await database.query('select 3 as three')).toEqual([{ three: 3 }]);
});

test('a full pool is reported as such, instead of blaming the server', async () => {
  const database = target.open({ poolSize: 1, connectTimeoutMs: 100 });
  // A busy machine may need longer than that for a new connection, so the blocked one is opened before.
  await eventually('the pool has its connection', () =>
    database.query('select 1').then(
      () => true,
      () => null,
    ),
  );
  const blocking = database.transaction(async () => {
    await expect(database.query('select 1')).rejects.toMatchObject({
      code: 'db.unreachable',
      message: expect.stringContaining('1 of 1 connections in use'),
    });
  });
  await blocking;
});

test('prepared statements survive changed parameter types and a changed table', async () => {
  const database = target.open({ poolSize: 1 });
  await database.query('create table shape (a int)');
  const read = (): Promise<object[]> => database.query('select * from shape where a > $1', [0]);
  await database.query('insert into shape values (1)');
  expect(await read()).toEqual([{ a: 1 }]);
  await database.query('alter table shape add b int');
  // The server refuses the cached plan once; the connection is dropped and the next call prepares again.
  await read().catch((error: unknown) => expect(error).toMatchObject({ code: '0A000' }));
  expect(await read()).toEqual([{ a: 1, b: null }]);
});

test('where names host, port and database, and closing twice is harmless', async () => {
  const database = openPostgres(databaseUrl('anything'));
  const { host } = new URL(databaseUrl('anything'));
  expect(database.where).toBe(`${host}/anything`);
  await Promise.all([database.close(), database.close()]);
});
