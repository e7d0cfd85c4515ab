/** Roles belong to a whole server, so these tests need a separate server without them. */
import { afterAll, beforeAll, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { createRoleStatements, ROLES, rolesState } from '../../../src/store/migrations/roles.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { run as runCli } from '../../cli/run-cli.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';

let server: PostgresServer;
let admin: Database;
beforeAll(async () => {
  server = await startPostgresServer();
  admin = openPostgres(server.url, { poolSize: 1 });
});
afterAll(async () => {
  await admin.close();
  await server.stop();
});

function urlOf(database: string, login?: string): string {
  const url = new URL(server.url);
  url.pathname = `/${database}`;
  if (login) [url.username, url.password] = [login, 'p'];
  return url.href;
}

test('if the roles cannot be created, migrating works, and the commands print what to run', async () => {
  await admin.query(`create role plain login password 'p'`);
  await admin.query('create database limited owner plain');
  const url = urlOf('limited', 'plain');
  const database = openPostgres(url);
  await migrate(database);
  expect(await rolesState(database)).toEqual({ missing: ROLES, ungranted: [] });

  const env = { DATABASE_URL: url };
  const status = await runCli(['db', 'status'], { env });
  expect(status).toMatchObject({ code: 0, stderr: expect.stringContaining('create role animus_submitter nologin;') });
  expect(JSON.parse((await runCli(['db', 'status', '--json'], { env })).stdout).roles.missing).toEqual(ROLES);
  expect((await runCli(['doctor'], { env })).stdout).toContain('create role animus_daemon nologin;');

  for (const statement of createRoleStatements(ROLES)) await admin.query(statement);
  expect(await rolesState(database)).toEqual({ missing: [], ungranted: ROLES });
  expect((await runCli(['db', 'status'], { env })).stderr).toContain(
    'roles without their grants here: animus_submitter',
  );
  expect(await runCli(['db', 'migrate'], { env })).toMatchObject({ code: 0, stderr: '' });
  expect(await rolesState(database)).toEqual({ missing: [], ungranted: [] });
  await database.close();
  await admin.query('drop database limited');
  for (const role of ROLES) await admin.query(`drop role ${role}`);
});

test('databases of one server that are migrated at the same time all get the roles', async () => {
  const names = ['one', 'two', 'three', 'four'];
  for (const name of names) await admin.query(`create database ${name}`);
  const databases = names.map((name) => openPostgres(urlOf(name)));
  await Promise.all(databases.map((database) => migrate(database)));
  for (const database of databases) {
    expect(await rolesState(database)).toEqual({ missing: [], ungranted: [] });
    await database.close();
  }
});

test('a role that another transaction is creating is waited for, and gets its rights', async () => {
  const [first, second] = [openPostgres(urlOf('one')), openPostgres(urlOf('two'))];
  for (const database of [first, second]) await database.query('drop owned by animus_reader');
  for (const name of ['three', 'four']) await admin.query(`drop database ${name}`);
  await admin.query('drop role animus_reader');
  const waiting = Promise.withResolvers<void>();
  const log = { ...silentLog, warn: () => waiting.resolve() };
  const migrated = await first.transaction(async (tx) => {
    await tx.query('create role animus_reader nologin');
    const migrating = migrate(second, { log });
    await Promise.race([waiting.promise, migrating]);
    return { migrating };
  });
  await migrated.migrating;
  expect(await rolesState(second)).toEqual({ missing: [], ungranted: [] });
  await first.close();
  await second.close();
});
