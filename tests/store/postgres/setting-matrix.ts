/** Settings of a server, and what animus and an application do with each: install, insert, claim, end, memory, schedule, list. */
import { Client } from 'pg';
import { expect } from 'vitest';
import { addSchedule } from '../../../src/features/schedules/store.ts';
import { storeMemory } from '../../../src/store/memory/memories.ts';
import { searchMemories } from '../../../src/store/memory/search-memories.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { completeWork } from '../../../src/store/work/work.ts';
import { beginFocus } from '../../support/begun-focus.ts';

/** `application`: outcomes of an application that differ from APPLICATION; a refusal is its words. */
export interface Setting {
  readonly name: string;
  readonly value: string;
  readonly application?: Readonly<Record<string, unknown>>;
}

const set = (name: string, value: string, application?: Setting['application']): Setting => ({
  name,
  value,
  ...(application && { application }),
});

const OLD_SNAPSHOT = {
  cancel: expect.stringMatching(
    /^WA002: a cancel must see .+, and this transaction is .+: begin isolation level read committed$/,
  ),
};
const NO_VIEWS = { list: '55000: access to non-system view "own_work" is restricted' };
const needsTriggers = (what: string) =>
  `WA002: ${what} needs the triggers of animus, and none runs in this session: session_replication_role is replica`;
const NO_TRIGGERS = {
  insert: '23502: null value in column "id" of relation "work_items" violates not-null constraint',
  schedule: needsTriggers('a schedule'),
  cancel: needsTriggers('a cancel'),
};

/** What an application gets with any setting. */
export const APPLICATION = { insert: 1, memory: [false, false, true], cancel: 1, list: 1, schedule: 1 };

export const SETTINGS: readonly Setting[] = [
  set('default_transaction_isolation', 'serializable', OLD_SNAPSHOT),
  set('default_transaction_isolation', 'repeatable read', OLD_SNAPSHOT),
  set('default_transaction_deferrable', 'on'),
  set('DateStyle', 'German, DMY'),
  set('DateStyle', 'SQL, DMY'),
  set('DateStyle', 'Postgres, MDY'),
  set('IntervalStyle', 'sql_standard'),
  set('IntervalStyle', 'iso_8601'),
  set('TimeZone', 'Asia/Kolkata'),
  set('standard_conforming_strings', 'off'),
  set('backslash_quote', 'off'),
  set('bytea_output', 'escape'),
  set('extra_float_digits', '-15'),
  set('client_encoding', 'LATIN1'),
  set('array_nulls', 'off'),
  set('quote_all_identifiers', 'on'),
  set('transform_null_equals', 'on'),
  set('row_security', 'off'),
  set('restrict_nonsystem_relation_kind', 'view, foreign-table', NO_VIEWS),
  set('search_path', 'app, pg_catalog'),
  set('search_path', "''"),
  set('default_text_search_config', 'pg_catalog.german'),
  set('plpgsql.extra_errors', 'all'),
  set('plpgsql.variable_conflict', 'use_column'),
  set('check_function_bodies', 'off'),
  set('gin_fuzzy_search_limit', '1'),
  set('exit_on_error', 'on'),
  set('synchronous_commit', 'off'),
  set('synchronous_commit', 'remote_apply'),
  set('xmloption', 'document'),
  set('client_min_messages', 'debug5'),
  set('session_replication_role', 'replica', NO_TRIGGERS),
];

/** One value of each name, without those with which an application cannot go on after its first refusal. */
const AT_ONCE = SETTINGS.filter(
  ({ name }, n) =>
    !['session_replication_role', 'exit_on_error'].includes(name) &&
    SETTINGS.findIndex((other) => other.name === name) === n,
);

/** Rows of the matrix: each setting alone, and all at once. */
export const ROWS = [...SETTINGS.map((setting) => [setting]), AT_ONCE].map((settings) => ({
  title: settings.length === 1 ? `${settings[0]!.name} = ${settings[0]!.value}` : `${settings.length} settings at once`,
  settings,
  application: { ...APPLICATION, ...Object.assign({}, ...settings.map(({ application }) => application ?? {})) },
}));

/** A schema `app` of an application, with functions and a table that have names which animus uses. */
export const COLLIDING = `create schema if not exists app; create table if not exists app.work_items (id int);
  create or replace function app.length(text) returns int language sql as 'select 666';
  create or replace function app.lower(text) returns text language sql as $$ select 'no' $$;
  create or replace function app.sha256(bytea) returns bytea language sql as $$ select 'no'::bytea $$;
  create or replace function app.current_setting(text) returns text language sql as $$ select 'no' $$;
  create or replace function app.jsonb_array_length(jsonb) returns int language sql as 'select 666'`;

/** Sets those that the server knows for all new sessions of the database; false: it knows none. */
export async function configure(admin: Database, settings: readonly Setting[]): Promise<boolean> {
  const rows = await admin.query<{ name: string }>('select name from pg_settings');
  const known = settings.filter(({ name }) => name.includes('.') || rows.some((row) => row.name === name));
  for (const { name, value } of known) {
    const [row] = await admin.query<{ sql: string }>(
      `select format('alter database %I set %s = %s', current_database(), $1::text, $2::text) as sql`,
      [name, name === 'search_path' ? value : `'${value}'`],
    );
    await admin.query(row!.sql);
  }
  return known.length > 0;
}

export const RIGHT = {
  insert: '2030-01-01T00:00:00.000Z',
  claim: 'now',
  end: 'completed',
  memory: [false, false, true],
  search: ['Order  the\nwidget', 'Order the widgets'],
  schedule: 'added',
  list: ['scheduled 2030-01-01T00:00:00.000Z'],
};

/** What animus itself does, through its own connections. */
export async function asAnimus(db: Database): Promise<Record<string, unknown>> {
  return outcomes({
    insert: async () => {
      const insert = `insert into animus.work_items (faculty, description, params, run_at) values ('f', $1, '{}', '2030-01-01T00:00Z') returning run_at`;
      const [row] = await db.transaction((tx) => tx.query<{ run_at: Date }>(insert, ['Grüße \\s+ \'"']));
      return row!.run_at.toISOString();
    },
    claim: async () => {
      const work = await beginFocus(db);
      await completeWork(db, work, { text: 'done' }, 'done');
      const [item] = await db.query<{ state: string; late: boolean }>(
        `select state, abs(extract(epoch from created_at - $2::timestamptz)) > 0.001 as late from animus.work_items where id = $1`,
        [work.id, work.createdAt],
      );
      return item!.late ? work.createdAt : 'now';
    },
    end: async () => {
      const [item] = await db.query<{ state: string }>(`select state from animus.work_items where faculty <> 'f'`);
      return item!.state;
    },
    memory: async () => {
      const texts = ['Order  the\nwidget', 'Order the widgets', 'Order the  widget'];
      const merged: boolean[] = [];
      for (const content of texts) merged.push((await storeMemory(db, { content }, null)).merged);
      return merged;
    },
    search: async () => {
      const { memories } = await searchMemories(db, { viewer: null, text: 'widgets', embedding: null, limit: 5 });
      return memories.map(({ content }) => content).sort();
    },
    schedule: async () => {
      const policy = { missed: 'once', grace_seconds: 60, overlap: 'allow', paused: false } as const;
      const work = { cron: '0 3 * * *', time_zone: 'UTC', faculty: 'f', description: 'd', params: {} };
      await db.transaction((tx) => addSchedule(tx, { name: 'nightly', ...work, ...policy }));
      return 'added';
    },
    list: async () => {
      const rows = await db.query<{ state: string; run_at: Date }>(
        `select state, run_at from animus.work_items where faculty = 'f'`,
      );
      return rows.map(({ state, run_at }) => `${state} ${run_at.toISOString()}`);
    },
  });
}

/** What a program does with SQL, in a session as the server makes it, after asAnimus: it cancels and lists an item of that. */
export async function asApplication(connectionString: string): Promise<Record<string, unknown>> {
  const client = new Client({ connectionString });
  client.on('error', () => {});
  await client.connect();
  try {
    return await outcomes({
      insert: async () =>
        (await client.query(`insert into animus.work_items (faculty, description) values ('app', 'x') returning id`))
          .rowCount,
      memory: async () => {
        const merged: unknown[] = [];
        for (const text of ['Buy the apples', 'Buy  the apple', 'Buy  the   apples'])
          merged.push((await client.query('select merged from animus.store_memory($1)', [text])).rows[0].merged);
        return merged;
      },
      cancel: async () =>
        (await client.query(`select animus.cancel_work(id) from animus.work_items where faculty = 'f'`)).rowCount,
      list: async () => (await client.query(`select id from animus.own_work where faculty = 'f'`)).rowCount,
      schedule: async () => (await client.query(`select animus.add_schedule('app', '0 3 * * *', 'f')`)).rowCount,
    });
  } finally {
    await client.end();
  }
}

/** The result of each step, or its error: the code and the words. */
async function outcomes(steps: Readonly<Record<string, () => Promise<unknown>>>): Promise<Record<string, unknown>> {
  const result: Record<string, unknown> = {};
  for (const [name, step] of Object.entries(steps)) {
    result[name] = await step().catch((error: { code?: string; message: string }) => `${error.code}: ${error.message}`);
  }
  return result;
}

/** Installs animus in an empty database; the number of migrations. */
export async function install(db: Database): Promise<number> {
  return (await migrate(db)).applied.length;
}
