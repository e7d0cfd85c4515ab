import { spawn, spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import type { Socket } from 'node:net';
import { describe, expect, test } from 'vitest';
import { connectOrOpenEmbedded } from '../../../src/store/embedded/connect-embedded.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { int32, message, simpleQuery, startupMessage } from '../../../src/store/embedded/wire.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { embeddedDatabase, embeddedHome } from '../../support/database.ts';
import { authenticated, client, rawSocket } from './raw-client.ts';

/** Longer than a busy machine delays a client. */
const MAX_IDLE_MS = 2_000;
const target = embeddedDatabase({ maxIdleMs: MAX_IDLE_MS, poolSize: 20 });

test('twenty clients at the same time each get their own answers, including errors', async () => {
  const asked = Array.from({ length: 400 }, (_, n) => n);
  const answers = await Promise.all(
    asked.map((n) =>
      n % 7 === 0
        ? target.database.query('select $1::int / 0', [n]).catch((error: { code: string }) => error.code)
        : target.database.query('select $1::int as n', [n]),
    ),
  );
  expect(answers).toEqual(asked.map((n) => (n % 7 === 0 ? '22012' : [{ n }])));
});

test('two thousand failed statements do not exhaust the stack', async () => {
  for (let n = 0; n < 2_000; n++) await target.database.query('selec').catch(() => {});
  expect(await target.database.query('select 1 as one')).toEqual([{ one: 1 }]);
}, 60_000);

test('transactions of many clients do not see each other', async () => {
  await target.database.query('create table counters (n int primary key, v int)');
  await target.database.query('insert into counters select n, 0 from generate_series(0, 4) n');
  const increments = Array.from({ length: 200 }, (_, i) =>
    target.database.transaction(async (tx) => {
      const [row] = await tx.query<{ v: number }>('select v from counters where n = $1', [i % 5]);
      await tx.query('update counters set v = $2 where n = $1', [i % 5, (row?.v ?? 0) + 1]);
    }),
  );
  await Promise.all(increments);
  expect(await target.database.query('select v from counters')).toEqual(Array.from({ length: 5 }, () => ({ v: 40 })));
});

describe('a transaction left open', () => {
  test('is ended after its idle time and rolled back, and others continue', async () => {
    await target.database.query('create table stalled (n int)');
    const idler = await client(target.database);
    const ended = new Promise<{ code?: string }>((resolve) => idler.once('error', resolve));
    await idler.query('begin');
    await idler.query('insert into stalled values (1)');
    const started = performance.now();
    // Queries of other clients must not prolong it.
    const others = Array.from({ length: 20 }, (_, n) => target.database.query('select $1::int as n', [n]));
    expect(await Promise.all(others)).toHaveLength(20);
    expect(performance.now() - started).toBeGreaterThan(MAX_IDLE_MS / 2);
    expect(performance.now() - started).toBeLessThan(MAX_IDLE_MS * 10);
    expect(await ended).toMatchObject({ code: '25P03' });
    expect(await target.database.query('select * from stalled')).toEqual([]);
  });

  test('is rolled back at once when its client disconnects', async () => {
    await target.database.query('create table vanished (n int)');
    const vanishing = await client(target.database);
    await vanishing.query('begin');
    await vanishing.query('insert into vanished values (1)');
    (vanishing as unknown as { connection: { stream: Socket } }).connection.stream.destroy();
    const started = performance.now();
    expect(await target.database.query('select * from vanished')).toEqual([]);
    expect(performance.now() - started).toBeLessThan(MAX_IDLE_MS);
  });

  test('even in the middle of the extended protocol', async () => {
    const { socket, closed } = await authenticated(target.database);
    socket.write(simpleQuery('begin'));
    socket.write(Buffer.concat([message('P', '\0select 1\0', Buffer.alloc(2)), message('H')]));
    socket.destroy();
    await closed;
    expect(await target.database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });
});

describe('a client without the password', () => {
  test.each([
    ['a wrong password', { password: 'wrong' }, '28P01'],
    ['another role', { user: 'animus' }, '28000'],
    ['another database', { database: 'animus' }, '3D000'],
  ])('with %s is refused', async (_, change, code) => {
    await expect(client(target.database, change)).rejects.toMatchObject({ code });
  });

  test('learns nothing, not even whether a role exists', async () => {
    await expect(client(target.database, { user: 'animus', password: 'wrong' })).rejects.toMatchObject({
      code: '28P01',
    });
  });

  test.each<[string, Buffer]>([
    ['an HTTP request', Buffer.from('GET / HTTP/1.1\r\nHost: localhost\r\n\r\n')],
    ['an impossible length', Buffer.concat([int32(-5), int32(196_608)])],
    ['protocol 2', Buffer.concat([int32(8), int32(131_072)])],
    ['a query instead of a password', Buffer.concat([startupMessage({ user: 'postgres' }), simpleQuery('select 1')])],
    ['a password in clear', Buffer.concat([startupMessage({ user: 'postgres' }), message('p', 'x\0')])],
    [
      'an empty proof',
      Buffer.concat([
        startupMessage({ user: 'postgres' }),
        message('p', 'SCRAM-SHA-256\0', int32(0)),
        message('p', ''),
      ]),
    ],
  ])('that sends %s is cut off and harms nobody', async (_, bytes) => {
    const { socket, closed, received } = await rawSocket(target.database);
    socket.write(bytes);
    await closed;
    expect(received()).not.toContain('server_version');
    expect(await target.database.query('select 1 as one')).toEqual([{ one: 1 }]);
  });

  test('that asks for SSL first gets a no and may continue', async () => {
    const { socket, received } = await rawSocket(target.database);
    socket.write(Buffer.concat([int32(8), int32(80_877_103)]));
    await expect.poll(received).toBe('N');
    socket.destroy();
  });

  test('that asks to cancel is disconnected without an answer', async () => {
    const { socket, closed, received } = await rawSocket(target.database);
    socket.write(Buffer.concat([int32(16), int32(80_877_102), int32(1), int32(2)]));
    await closed;
    expect(received()).toBe('');
  });
});

test('a start-up message sent byte by byte is understood', async () => {
  const { socket, received } = await rawSocket(target.database);
  for (const byte of startupMessage({ user: 'postgres', database: 'postgres' })) socket.write(Buffer.from([byte]));
  await expect.poll(received).toContain('SCRAM-SHA-256');
  socket.destroy();
});

test('copy from stdin, which would crash PGlite, is refused and the connection stays usable', async () => {
  await target.database.query('create table copied (n int)');
  const copying = await client(target.database);
  await expect(copying.query('copy copied from stdin')).rejects.toMatchObject({ code: '0A000' });
  expect((await copying.query('select 1 as one')).rows).toEqual([{ one: 1 }]);
  await copying.end();
});

test('large results and large queries work', async () => {
  const text = 'x'.repeat(5_000_000);
  expect(await target.database.query('select length($1::text) as n', [text])).toEqual([{ n: 5_000_000 }]);
  const rows = await target.database.query('select n, repeat($1, 100) as t from generate_series(1, 50000) n', ['é']);
  expect(rows).toHaveLength(50_000);
});

test('a statement does not block the event loop: timers of this process keep firing', async () => {
  let ticks = 0;
  const timer = setInterval(() => ticks++, 5);
  await target.database.query('select count(*) from generate_series(1, 3000000)');
  clearInterval(timer);
  expect(ticks).toBeGreaterThan(5);
});

test('an unreadable or unrelated embedded.json is no obstacle', async () => {
  const home = embeddedHome();
  mkdirSync(home, { recursive: true });
  for (const content of ['', '{"port": "no"}', JSON.stringify({ port: 1, password: 'x', pid: 1, started: '' })]) {
    writeFileSync(`${home}/embedded.json`, content);
    const database = await connectOrOpenEmbedded({ home });
    expect(await database.query('select 1 as one')).toEqual([{ one: 1 }]);
    await database.close();
  }
}, 60_000);

test('the password is only in embedded.json, not in where', async () => {
  const { password } = JSON.parse(readFileSync(`${target.home}/embedded.json`, 'utf8')) as { password: string };
  expect(password).toMatch(/^[0-9a-f]{48}$/);
  expect(target.database.where).not.toContain(password);
});

test('a fixed port that is in use is refused, and the directory is free again', async () => {
  const home = embeddedHome();
  await expect(openEmbedded({ home, port: target.database.port })).rejects.toMatchObject({ code: 'db.refused' });
  const database = await openEmbedded({ home });
  await database.close();
}, 60_000);

describe('what a client leaves in the session', () => {
  test('prepared statements of several clients do not collide, and are dropped with their clients', async () => {
    const prepared = openPostgres(target.database.connectionString, { poolSize: 3, prepare: true });
    const answers = await Promise.all([1, 2, 3, 4, 5, 6].map((n) => prepared.query('select $1::int as n', [n])));
    expect(answers).toEqual([1, 2, 3, 4, 5, 6].map((n) => [{ n }]));
    expect(await target.database.query('select from pg_prepared_statements')).not.toEqual([]);
    await prepared.close();
    await expect.poll(() => target.database.query('select name from pg_prepared_statements')).toEqual([]);
  });

  test('settings, temporary tables and locks are dropped with their client', async () => {
    const leaving = await client(target.database);
    await leaving.query(
      "set statement_timeout = '1ms'; set search_path = nowhere; create temp table left_behind (n int)",
    );
    await leaving.query('select pg_advisory_lock(1)');
    await leaving.end();
    await expect
      .poll(() =>
        target.database.query(
          `select current_setting('statement_timeout') as timeout, current_setting('search_path') as path,
                  to_regclass('pg_temp.left_behind') as temp, (select count(*)::int from pg_locks where locktype = 'advisory') as locks`,
        ),
      )
      .toEqual([{ timeout: '0', path: 'public', temp: null, locks: 0 }]);
  });
});

test.skipIf(spawnSync('psql', ['--version']).status !== 0)(
  'psql works, even with several statements and with an error',
  async () => {
    const script =
      "\\set ON_ERROR_STOP off\nselect 1/0;\nbegin;\nselect 'in' as t;\ncommit;\nselect 'after';\n\\dt animus.*";
    const psql = spawn('psql', ['-X', '-A', '-t', target.database.connectionString], {
      stdio: ['pipe', 'pipe', 'pipe'],
    });
    let output = '';
    psql.stdout.on('data', (chunk) => (output += String(chunk)));
    psql.stdin.end(script);
    const code = await new Promise((resolve) => psql.once('close', resolve));
    expect(code).toBe(0);
    expect(output).toMatch(/BEGIN\nin\nCOMMIT\nafter\n/);
  },
);
