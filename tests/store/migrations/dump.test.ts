/** Promise: what docs/operations.md says about dumps is so, with PostgreSQL's own programs. Runs where a server is installed. */
import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { createRoleStatements, ROLES } from '../../../src/store/migrations/roles.ts';
import { psqlEnvironment } from '../../../src/store/postgres/psql-environment.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { beginFocus, claimable, recordCalls } from '../../support/begun-focus.ts';
import { onDatabase } from '../../support/database.ts';
import { OLDER_POSTGRES, startOlderPostgres } from '../../support/older-postgres.ts';
import { pageBlock } from '../../support/page-block.ts';

describe.skipIf(OLDER_POSTGRES === null)('a dump', () => {
  let directory: string;
  let [old, fresh]: Awaited<ReturnType<typeof startOlderPostgres>>[] = [];
  let rows: object;
  beforeAll(async () => {
    directory = mkdtempSync(join(tmpdir(), 'animus-dump-'));
    [old, fresh] = await Promise.all([startOlderPostgres(OLDER_POSTGRES!), startOlderPostgres(OLDER_POSTGRES!)]);
    await onDatabase(old.url, async (admin) => {
      for (const statement of createRoleStatements(ROLES)) await admin.query(statement);
      await admin.query(`create role animus_owner login password 'p'`);
      await admin.query('create role shop login in role animus_submitter');
      await admin.query('create database animus owner animus_owner');
    });
    await onDatabase(at(old.url, 'animus').replace('postgres@', 'animus_owner@'), async (db) => {
      await migrate(db);
      await fill(db);
      rows = await rowsOf(db);
    });
    sh(old.url, pageBlock('operations.md', '--format=custom'), { DATABASE_URL: at(old.url, 'animus') });
  });
  // Of an earlier try.
  beforeEach(async () => {
    for (const name of ['lost', 'kept', 'schemas', 'over']) await onDatabase(old!.url, (db) => dropDatabase(db, name));
    for (const name of ['roleless', 'animus']) await onDatabase(fresh!.url, (db) => dropDatabase(db, name));
    await onDatabase(fresh!.url, async (db) => {
      const roles = await db.query<{ name: string }>(
        `select quote_ident(rolname) as name from pg_roles where rolname !~ '^(pg_|postgres$)'`,
      );
      for (const { name } of roles) await db.query(`drop role ${name}`);
    });
    rmSync(join(directory, 'schemas.dump'), { force: true });
  });
  afterAll(async () => {
    await Promise.all([old?.stop(), fresh?.stop()]);
    rmSync(directory, { recursive: true, force: true });
  });

  test('is whole on another server, as the page restores it, and the work goes on', async () => {
    const [restore = ''] = /pg_restore.*/.exec(pageBlock('operations.md', '--file=roles.sql')) ?? [];
    sh(fresh!.url, 'psql --dbname=postgres --command="create database roleless"');
    expect(failureOf(fresh!.url, restore.replace('--create --dbname=postgres', '--dbname=roleless'))).toContain(
      'role "animus_owner" does not exist',
    );
    sh(fresh!.url, pageBlock('operations.md', '--file=roles.sql'));
    await onDatabase(at(fresh!.url, 'animus'), async (db) => {
      expect(await rowsOf(db)).toEqual(rows);
      expect(await migrate(db)).toMatchObject({ applied: [], functions: [] });
      expect(
        await db.query(`select pg_has_role('shop', 'animus_submitter', 'member') as member, pg_get_userbyid(datdba) as owner
                          from pg_database where datname = current_database()`),
      ).toEqual([{ member: true, owner: 'animus_owner' }]);
      const [work] = await claimWork(db, crypto.randomUUID(), claimable('open'), 1, 60);
      await completeWork(db, work!, {}, null);
      await db.query(`insert into animus.work_items (faculty, dedup_key) values ('open', 'invoice 1')`);
      await db.query(`select animus.pause('open')`);
      expect(await claimWork(db, crypto.randomUUID(), claimable('later'), 1, 60)).toEqual([]);
    });
  });

  test('of rows alone loses all work, and says so; with the tables of the same dump and without triggers it is whole', async () => {
    const two = (name: string, flags: string) =>
      `psql --dbname=postgres --command="create database ${name}"
       pg_restore --exit-on-error --schema-only --dbname=${name} animus.dump
       pg_restore --data-only ${flags} --dbname=${name} animus.dump`;
    const lost = failureOf(old!.url, two('lost', ''));
    expect(lost).toContain('the insert sets a column that the engine owns');
    expect(lost).toContain('pg_restore --disable-triggers (docs/operations.md)');
    await onDatabase(at(old!.url, 'lost'), async (db) => {
      const left = (await rowsOf(db)) as Record<string, number>;
      expect(left).toMatchObject({ 'animus.work_items': 0, 'animus.foci': 0, 'animus.decisions': 0 });
      expect(left['pgmq.q_animus_work']).toBeGreaterThan(0);
    });
    sh(old!.url, two('kept', '--exit-on-error --disable-triggers'));
    await onDatabase(at(old!.url, 'kept'), async (db) => expect(await rowsOf(db)).toEqual(rows));
  });

  test('of both schemas is enough, and takes the place of an installation', async () => {
    sh(old!.url, 'psql --dbname=postgres --command="create database schemas" --command="create database over"');
    await onDatabase(at(old!.url, 'over'), (db) => migrate(db));
    sh(
      old!.url,
      `pg_dump --format=custom --schema=animus --schema=pgmq --file=schemas.dump animus
       pg_restore --exit-on-error --dbname=schemas schemas.dump
       pg_restore --clean --if-exists --exit-on-error --dbname=over animus.dump`,
    );
    for (const name of ['schemas', 'over']) {
      await onDatabase(at(old!.url, name), async (db) => {
        expect(await rowsOf(db)).toEqual(rows);
        expect(await migrate(db)).toMatchObject({ applied: [] });
      });
    }
  });

  test('of queues in a schema of their own is as whole, and later migrations find them', async () => {
    sh(old!.url, 'psql --dbname=postgres --command="create database own" --command="create database copy"');
    const own = await onDatabase(at(old!.url, 'own'), async (db) => {
      await migrate(db, { pgmqSchema: 'Own queues' });
      await fill(db);
      return rowsOf(db);
    });
    expect(own).toMatchObject({ '"Own queues".q_animus_work': 4 });
    sh(
      old!.url,
      `pg_dump --format=custom --schema=animus --schema='"Own queues"' --file=own.dump own
       pg_restore --exit-on-error --dbname=copy own.dump`,
    );
    await onDatabase(at(old!.url, 'copy'), async (db) => {
      expect(await rowsOf(db)).toEqual(own);
      expect(await migrate(db, { putBackFunctions: true })).toMatchObject({
        applied: [],
        functions: [],
        restored: { queues: [] },
      });
      const [work] = await claimWork(db, crypto.randomUUID(), claimable('open'), 1, 60);
      await completeWork(db, work!, {}, null);
      expect(await db.query(`select from pg_namespace where nspname = 'pgmq'`)).toEqual([]);
    });
  });

  /** Runs commands as a reader of the page does, in the directory with the dump. */
  function sh(url: string, commands: string, more: Record<string, string> = {}): void {
    execFileSync('bash', ['-e', '-c', commands], { cwd: directory, env: environment(url, more), stdio: 'pipe' });
  }

  function failureOf(url: string, commands: string): string {
    const { status, stderr } = spawnSync('bash', ['-e', '-c', commands], { cwd: directory, env: environment(url) });
    expect(status).not.toBe(0);
    return stderr.toString();
  }
});

function environment(url: string, more: Record<string, string> = {}): NodeJS.ProcessEnv {
  return { ...process.env, ...psqlEnvironment(url), PATH: `${OLDER_POSTGRES}:${process.env['PATH']}`, ...more };
}

/** Work that has ended, is open, runs and waits, with what refers to it. */
async function fill(db: Database): Promise<void> {
  await db.query(`insert into animus.work_items (faculty, description, dedup_key, run_at)
                  values ('open', 'one', 'invoice 1', null), ('open', 'two', null, null), ('later', 'three', null, now() + interval '1 day')`);
  await beginFocus(db, { concurrencyKey: 'till' });
  const done = await beginFocus(db);
  await recordCalls(db, done, 1, ['call_1']);
  await completeWork(db, done, { paid: true }, 'It is paid.');
  await db.query(`select animus.append_ledger(id, 'note', 'urgent') from animus.work_items where description = 'two'`);
  await db.query(`select animus.store_memory('Invoices are due in 14 days')`);
  await db.query(`select animus.pause('nobodys'), animus.resume('nobodys')`);
}

/** How many rows each table of animus and pgmq has, and where each sequence is. */
async function rowsOf(db: Database): Promise<object> {
  const tables = await db.query<{ name: string }>(
    `select c.oid::regclass::text as name from pg_class c
      where c.relnamespace in (select oid from pg_namespace where nspname in ('animus', 'pgmq', 'Own queues')) and c.relkind in ('r', 'S') order by 1`,
  );
  const counted: Record<string, number> = {};
  for (const { name } of tables) {
    const [row] = await db.query<{ n: string }>(
      `select case when relkind = 'S' then pg_sequence_last_value(oid) else (xpath('/row/n/text()', query_to_xml(format('select count(*) as n from %s', oid::regclass), false, true, '')))[1]::text::bigint end as n
         from pg_class where oid = $1::regclass`,
      [name],
    );
    counted[name] = Number(row!.n);
  }
  return counted;
}

function at(url: string, database: string): string {
  const other = new URL(url);
  other.pathname = `/${database}`;
  return other.href;
}

async function dropDatabase(db: Database, name: string): Promise<void> {
  await db.query(`drop database if exists ${name} with (force)`);
}
