/** Promise: animus works with pgmq as an extension, its own or that of a superuser. */
import { randomBytes } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { refusedTables } from '../../../src/store/migrations/replica-identity.ts';
import { readTarGz } from '../../../src/store/migrations/tar.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { temporaryHome } from '../../support/database.ts';
import { type PostgresServer, startPostgresServer } from '../../support/postgres-server.ts';
import { claimOne, insertWork } from '../work/queue-driver.ts';

const share = temporaryHome();
let server: PostgresServer;
let admin: Database;
beforeAll(async () => {
  offerPgmq(share);
  // Since PostgreSQL 18, extensions may be anywhere.
  server = await startPostgresServer(['-c', `extension_control_path=$system:${share}`]);
  admin = openPostgres(server.url, { poolSize: 1 });
  await admin.query(`create role app login password 'p'`);
});
afterAll(async () => {
  await admin?.close();
  await server?.stop();
});

/** As its package installs it. */
function offerPgmq(directory: string): void {
  const archive = createRequire(import.meta.url)
    .resolve('@electric-sql/pglite-pgmq')
    .replace(/[^/\\]+$/, 'pgmq.tar.gz');
  chmodSync(directory, 0o755);
  mkdirSync(join(directory, 'extension'));
  for (const wanted of [/(^|\/)pgmq\.control$/, /(^|\/)pgmq--[\d.]+\.sql$/]) {
    const { path, text } = readTarGz(readFileSync(archive), (name) => wanted.test(name))!;
    writeFileSync(join(directory, 'extension', path.replace(/^.*\//, '')), text);
  }
}

test('an owner without superuser rights creates it, and its own tables get a replica identity', async () => {
  const { db, dba } = await databaseOf('own');
  await migrate(db);
  expect(await db.query(`select pg_get_userbyid(extowner) as owner from pg_extension where extname = 'pgmq'`)).toEqual([
    { owner: 'app' },
  ]);
  await dba.query('create publication everything for all tables');
  expect(await refusedTables(db)).toEqual([]);
  await worksFor(db);
});

test('one that a superuser has created is used with the rights that are named', async () => {
  const { db, dba } = await databaseOf('theirs');
  await dba.query('create extension pgmq');
  const refused = await migrate(db).then(
    () => '',
    (error: Error) => error.message,
  );
  const [, statements] =
    /the schema pgmq belongs to postgres, and app lacks rights on it; run as postgres or as a superuser: (.*) or set ANIMUS_PGMQ_SCHEMA/.exec(
      refused,
    )!;
  expect(statements).toBe(
    'grant usage, create on schema pgmq to app; grant select, insert, delete on pgmq.meta to app;',
  );
  await dba.query(statements!);
  await migrate(db);
  await worksFor(db);
  // What only pgmq's own functions change is named, for its owner.
  await dba.query('create publication everything for all tables');
  const left = await refusedTables(db);
  expect(left.map(({ table, owner, changed }) => [table, owner, changed])).toEqual([
    ['pgmq.meta', 'postgres', false],
    ['pgmq.topic_bindings', 'postgres', false],
  ]);
  await worksFor(db);
});

test('one of before version 1.6, where only its owner makes queues, is named', async () => {
  const { db, dba } = await databaseOf('old');
  await dba.query(
    `create extension pgmq; grant usage, create on schema pgmq to app; grant select, insert, delete on pgmq.meta to app`,
  );
  await dba.query(
    `create or replace function pgmq.create_non_partitioned(queue_name text) returns void language plpgsql as $$
     begin execute format('ALTER EXTENSION pgmq ADD TABLE pgmq.q_%s', queue_name); end $$`,
  );
  await expect(migrate(db)).rejects.toMatchObject({
    code: 'db.refused',
    message: expect.stringContaining(': alter extension pgmq update; or'),
  });
});

function urlOf(name: string): string {
  const url = new URL(server.url);
  url.pathname = `/${name}`;
  return url.href;
}

/** A new one of the role app, which is closed at the end of the test. `dba`: the superuser in it. */
async function databaseOf(kind: string): Promise<{ db: Database; dba: Database }> {
  const name = `${kind}_${randomBytes(4).toString('hex')}`;
  await admin.query(`create database ${name} owner app`);
  const url = new URL(urlOf(name));
  [url.username, url.password] = ['app', 'p'];
  const [db, dba] = [openPostgres(url.href), openPostgres(urlOf(name), { poolSize: 1 })];
  onTestFinished(async () => {
    await Promise.all([db.close(), dba.close()]);
  });
  return { db, dba };
}

async function worksFor(db: Database): Promise<void> {
  for (let n = 0; n < 2; n++) await insertWork(db, { concurrency_key: 'tea' });
  for (let n = 0; n < 2; n++) await completeWork(db, await claimOne(db), {}, null);
}
