/** Dumps of a database with settings, restored into one with the same settings. Runs with the programs of a server that is installed. */
import { execFile } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { expect } from 'vitest';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { createRoleStatements, ROLES } from '../../../src/store/migrations/roles.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import { psqlEnvironment } from '../../../src/store/postgres/psql-environment.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { claimWork, completeWork } from '../../../src/store/work/work.ts';
import { claimable } from '../../support/begun-focus.ts';
import { startOlderPostgres } from '../../support/older-postgres.ts';
import { COLLIDING, configure, type Setting } from './setting-matrix.ts';

/** Who restores: a superuser, and a login that owns the database and has no other right. */
const RESTORERS = ['postgres', 'animus_owner'] as const;

export const RESTORED = {
  claim: 'completed',
  memory: ['Grüße \\s+ \'"'],
  schedule: ['0 3 * * *'],
  list: ['queued', 'scheduled'],
};

/** Only a superuser may have triggers run when the server says that none does. */
export const NO_TRIGGERS = expect.stringMatching(
  /session_replication_role.+ no trigger runs, and animus would damage its work/,
);

export interface Restores {
  /** Dumps as the owner, restores and uses it as each of RESTORERS: RESTORED, or the words of what failed. */
  restore(settings: readonly Setting[]): Promise<Readonly<Record<string, unknown>>>;
  stop(): Promise<void>;
}

/** `bin`: the directory of the programs. */
export async function startRestores(bin: string): Promise<Restores> {
  const directory = mkdtempSync(join(tmpdir(), 'animus-restore-'));
  const server = await startOlderPostgres(bin);
  const admin = openPostgres(server.url, { poolSize: 1 });
  for (const statement of createRoleStatements(ROLES)) await admin.query(statement);
  await admin.query('create role animus_owner login');
  await admin.query('create database migrated owner animus_owner');
  await as('animus_owner', 'migrated', (db) => migrate(db));
  let made = 0;

  async function make(like: string): Promise<string> {
    const name = `d${++made}`;
    await admin.query(`create database ${name} owner animus_owner template ${like}`);
    return name;
  }

  async function as<T>(role: string, database: string, work: (db: Database) => Promise<T>): Promise<T> {
    const db = openPostgres(urlOf(role, database), { poolSize: 2, connectTimeoutMs: 60_000 });
    try {
      return await work(db);
    } finally {
      await db.close();
    }
  }

  function urlOf(role: string, database: string): string {
    const url = new URL(server.url);
    [url.username, url.pathname] = [role, `/${database}`];
    return url.href;
  }

  const run = (program: string, args: readonly string[], url: string) =>
    promisify(execFile)(join(bin, program), args, { env: { ...process.env, ...psqlEnvironment(url) } });

  return {
    async restore(settings) {
      const source = await make('migrated');
      const file = join(directory, `${source}.dump`);
      await as('animus_owner', source, fill);
      await as('postgres', source, (db) => configure(db, settings));
      const dump = ['--format=custom', '--encoding=UTF8', `--file=${file}`];
      await run('pg_dump', dump, urlOf('animus_owner', source));
      const outcomes: Record<string, unknown> = {};
      for (const role of RESTORERS) {
        const target = await make('template0');
        await as('postgres', target, (db) => configure(db, settings));
        outcomes[role] = await run('pg_restore', ['--exit-on-error', `--dbname=${target}`, file], urlOf(role, target))
          .then(() => as(role, target, lookAround))
          .catch((error: Error & { stderr?: string }) => error.stderr ?? error.message);
      }
      return outcomes;
    },
    async stop() {
      await admin.close();
      await server.stop();
      rmSync(directory, { recursive: true, force: true });
    },
  };
}

async function fill(db: Database): Promise<void> {
  await db.query(COLLIDING);
  await db.query(
    `insert into animus.work_items (faculty, run_at) values ('open', null), ('open', null), ('later', '2030-01-01T00:00Z')`,
  );
  await db.query(`select animus.store_memory($1)`, RESTORED.memory);
  await db.query(`select animus.add_schedule('nightly', $1, 'f')`, RESTORED.schedule);
}

async function lookAround(db: Database): Promise<object> {
  if ((await migrate(db)).applied.length > 0) throw new Error('migrations were missing');
  const [work] = await claimWork(db, crypto.randomUUID(), claimable('open'), 1, 600);
  await completeWork(db, work!, { text: 'done' }, 'done');
  const read = async (sql: string) => (await db.query<{ value: string }>(sql)).map(({ value }) => value);
  const { memories } = await searchMemories(db, { viewer: null, text: 'Grüße', embedding: null, limit: 5 });
  return {
    claim: (await read(`select state as value from animus.work_items where id = '${work!.id}'`))[0],
    memory: memories.map(({ content }) => content),
    schedule: await read('select cron as value from animus.schedules'),
    list: await read(`select state as value from animus.work_items where id <> '${work!.id}' order by 1`),
  };
}
