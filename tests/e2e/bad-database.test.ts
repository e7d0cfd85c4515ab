/** Databases that are broken or become broken, with real servers: each problem is reported, nothing is lost, and temporary problems are waited for. */
import { writeFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, inject, it, onTestFinished } from 'vitest';
import { openPostgres } from '../../src/store/postgres/postgres.ts';
import { launchDaemon, runAnimus, startDaemon } from '../support/daemon-process.ts';
import { testDatabase } from '../support/database.ts';
import { eventually } from '../support/eventually.ts';
import { startAnthropicServer, text, toolUse } from '../support/model-server/anthropic.ts';
import { type PostgresServer, startPostgresServer } from '../support/postgres-server.ts';
import { createLogin, dropLogins } from '../support/role-login.ts';
import { startTransactionPooler } from '../support/transaction-pooler.ts';
import { CONFIG, completes, insert, siteOf } from './clerk.ts';
import { fillUp, readOnly } from './database-faults.ts';

// A database behaves the same for both wire formats.
const once = describe.skipIf(inject('wire') !== 'anthropic');

once('a database that says no', () => {
  const pg = testDatabase({ empty: true });
  const migrated = testDatabase();
  const logins: string[] = [];
  afterAll(() => dropLogins(logins));
  const urlWith = (change: (url: URL) => void, base = pg.connectionString): string => {
    const url = new URL(base);
    change(url);
    return url.href;
  };

  it.each<[string, () => Promise<string> | string, number, RegExp]>([
    [
      'no database',
      () => urlWith((url) => (url.pathname = '/nowhere')),
      4,
      /"nowhere" does not exist; create it with createdb/,
    ],
    [
      'a wrong password',
      () => urlWith((url) => (url.password = 'wrong')),
      4,
      /refused: password authentication failed for user/,
    ],
    [
      'no such role',
      () => urlWith((url) => (url.username = 'nobody_here')),
      4,
      /refused: (role "nobody_here"|password authentication)/,
    ],
    [
      'no right to create the schema',
      () => createLogin(pg.connectionString, 'animus_daemon', logins),
      4,
      /permission denied for database .*; .* grant create on database/,
    ],
    [
      'a read-only server',
      () => urlWith((url) => url.searchParams.set('options', '-c default_transaction_read_only=on')),
      4,
      /refused: it is read-only/,
    ],
  ])('%s: the daemon ends at once, and says what and what to do', async (_, url, exit, message) => {
    const site = siteOf(await url());
    const daemon = launchDaemon(site);
    expect(await daemon.exited).toBe(exit);
    expect(daemon.output()).toMatch(message);
    expect(daemon.output()).not.toMatch(/test@|wrong@|\n {4}at /);
    expect(await pg.database.query(`select from pg_namespace where nspname = 'animus'`)).toEqual([]);
  });

  it('a schema that is newer: used unchanged if it permits that, else refused', async () => {
    await migrated.database.query(
      `insert into animus.schema_migrations (version, name, checksum) values (9999, '9999_later.sql', 'x')`,
    );
    await migrated.database.query(`update animus.schema_functions set checksum = 'later'`);
    const server = await startAnthropicServer([{ content: [text('done')] }]);
    onTestFinished(() => server.close());
    const site = siteOf(migrated.connectionString, server.url);
    const daemon = await startDaemon(site);
    expect(daemon.output()).toContain('the schema was migrated by a newer version of animus');
    await completes(migrated.database, await insert(migrated.database));
    await daemon.kill('SIGTERM');
    expect(await migrated.database.query(`select distinct checksum from animus.schema_functions`)).toEqual([
      { checksum: 'later' },
    ]);

    await migrated.database.query(`update animus.settings set value = '9999' where key = 'min_client'`);
    const refused = launchDaemon(site);
    expect(await refused.exited).toBe(5);
    expect(refused.output()).toContain('the database needs animus with schema version 9999 or later');
    expect(await runAnimus(site, ['status'])).toMatchObject({
      exit: 5,
      stderr: expect.stringContaining('upgrade animus'),
    });
  }, 180_000);
});

once('a database that comes and goes', () => {
  let server: PostgresServer;
  beforeAll(async () => {
    server = await startPostgresServer(['-c', 'max_connections=14', '-c', 'superuser_reserved_connections=3']);
  });
  afterAll(() => server.stop());

  it('is waited for by a daemon that starts first, and that can be stopped meanwhile', async () => {
    const models = await startAnthropicServer([{ content: [text('done')] }]);
    onTestFinished(() => models.close());
    const site = siteOf(server.url, models.url);
    await server.stopServer();
    const impatient = launchDaemon(site);
    await impatient.says('waiting for the database');
    await impatient.kill('SIGTERM');
    expect(await impatient.exited).toBe(0);

    const daemon = launchDaemon(site);
    await daemon.says('waiting for the database');
    expect(daemon.output()).toMatch(/cannot use the database at 127\.0\.0\.1:\d+\/postgres: connect ECONNREFUSED/);
    expect(await runAnimus(site, ['status'])).toMatchObject({
      exit: 4,
      stderr: expect.stringMatching(/^animus: cannot use the database/),
    });
    await server.startServer();
    await daemon.says('serving ');
    const database = openPostgres(server.url, { poolSize: 1 });
    await completes(database, await insert(database));
    await database.close();
    await daemon.kill('SIGTERM');
  }, 180_000);

  it('that has no free connection is waited for, and a command reports it', async () => {
    const models = await startAnthropicServer([{ content: [text('done')] }]);
    onTestFinished(() => models.close());
    const admin = openPostgres(server.url, { poolSize: 1 });
    // A second try meets the server as the first one left it.
    const [crowded, lonely] = ['crowd', 'lonely'].map((name) => `${name}_${crypto.randomUUID().slice(0, 8)}`);
    await admin.query(
      `create role ${crowded} login password 'p'; create role ${lonely} login password 'p' in role animus_daemon, animus_operator`,
    );
    const url = new URL(server.url);
    [url.username, url.password] = [crowded!, 'p'];
    const crowd = await fillUp(url.href);
    onTestFinished(async () => void (await Promise.all(crowd.map((connection) => connection.end()))));
    url.username = lonely!;
    const site = siteOf(url.href, models.url);
    expect(await runAnimus(site, ['status'])).toMatchObject({
      exit: 4,
      stderr: expect.stringMatching(/cannot use the database .*(connection slots|too many).*max_connections/),
    });
    const daemon = launchDaemon(site);
    await daemon.says('waiting for the database');
    const id = await insert(admin);
    for (const connection of crowd) await connection.end();
    await daemon.says('serving ');
    await completes(admin, id);
    await daemon.kill('SIGTERM');
    await admin.close();
  }, 180_000);
});

once('a database that turns read-only under a running daemon', () => {
  const pg = testDatabase();

  it('costs no attempt and loses nothing: commands report it, and work continues afterwards', async () => {
    const name = new URL(pg.connectionString).pathname.slice(1);
    const models = await startAnthropicServer([
      { content: [toolUse('t1', 'bash', { command: 'while [ ! -e ../../../go ]; do sleep 0.1; done' })] },
      { content: [text('done')] },
      { content: [text('done')] },
      { content: [text('done')] },
    ]);
    onTestFinished(() => models.close());
    const site = siteOf(pg.connectionString, models.url);
    const daemon = await startDaemon(site);
    const running = await insert(pg.database);
    await eventually('its tool runs', async () => {
      const [row] = await pg.database.query(`select from animus.tool_calls where state = 'started'`);
      return row ?? null;
    });

    await readOnly(name, 'on');
    const submitted = await runAnimus(site, ['work', 'submit', 'clerk', 'later']);
    expect(submitted).toMatchObject({
      exit: 4,
      stderr: expect.stringMatching(/read-only transaction; the server is read-only: .*connect to the primary/),
    });
    expect(await runAnimus(site, ['status'])).toMatchObject({ exit: 0 });
    await eventually('the daemon says so', () => (daemon.output().includes('read-only') ? true : null));
    writeFileSync(`${site.directory}/go`, '');
    await readOnly(name, 'off');

    await completes(pg.database, running, 40);
    expect(await pg.database.query('select attempts from animus.work_items where id = $1', [running])).toEqual([
      { attempts: 0 },
    ]);
  }, 180_000);
});

once('a transaction pooler in between', () => {
  const pg = testDatabase();

  it('is detected and reported, and all work completes anyway', async () => {
    const pooler = await startTransactionPooler(pg.connectionString, 4);
    const models = await startAnthropicServer(() => ({ content: [text('done')] }));
    onTestFinished(() => models.close());
    const site = siteOf(pooler.url, models.url);
    const daemon = await startDaemon(site);
    await daemon.says('is a transaction pooler in between?');
    const ids = [];
    for (let n = 0; n < 12; n++) ids.push(await insert(pg.database));
    for (const id of ids) await completes(pg.database, id);
    const status = await runAnimus(site, ['status']);
    expect(status).toMatchObject({
      exit: 0,
      stdout: expect.stringMatching(/notifications of the database .* do not arrive/),
    });
    expect(await runAnimus(site, ['work', 'submit', 'clerk', 'x', '--wait'])).toMatchObject({ exit: 0 });
    expect(await runAnimus(site, ['doctor'])).toMatchObject({
      exit: 1,
      stdout: expect.stringMatching(/no notification arrived within 5 s/),
    });
    await daemon.kill('SIGTERM');
  }, 180_000);
});

once('a pool that is smaller than the work', () => {
  const pg = testDatabase();

  it('delays foci, and does nothing worse', async () => {
    const models = await startAnthropicServer((body) =>
      JSON.stringify(body['messages']).includes('tool_result')
        ? { content: [text('done')] }
        : { content: ['a', 'b', 'c', 'd'].map((id) => toolUse(id, 'ledger_append', { type: 'note', content: id })) },
    );
    onTestFinished(() => models.close());
    const site = siteOf(pg.connectionString, models.url, `${CONFIG}pool_size = 2\nmax_concurrent = 12\n`);
    const daemon = await startDaemon(site);
    const ids = [];
    for (let n = 0; n < 24; n++) ids.push(await insert(pg.database));
    for (const id of ids) await completes(pg.database, id, 40);
    expect(await pg.database.query('select max(attempts) as most, count(*)::int as n from animus.work_items')).toEqual([
      { most: 0, n: 24 },
    ]);
    expect(daemon.output()).not.toContain('"level":"error"');
    await daemon.kill('SIGTERM');
  }, 180_000);
});
