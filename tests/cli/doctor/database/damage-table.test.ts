/** Promise: whatever of the schema somebody changes by hand is named, with a cure that works. To cover another damage, add a line to a table. */
import { expect, test } from 'vitest';
import { examineDamage } from '../../../../src/cli/doctor/database/damage.ts';
import { migrate } from '../../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../../src/store/sql/database.ts';
import { claimOne, insertWork } from '../../../store/work/queue-driver.ts';
import { testDatabase } from '../../../support/database.ts';
import { OLDER_POSTGRES, startOlderPostgres } from '../../../support/older-postgres.ts';

const pg = testDatabase();

interface Damage {
  readonly sql: string;
  /** The findings that it causes: check, and the beginning of what it says. */
  readonly found: readonly string[];
}

/** What `animus db migrate` puts right. */
const MIGRATE: readonly Damage[] = [
  { sql: 'drop sequence animus.lease_tokens', found: ['objects sequence animus.lease_tokens is missing'] },
  { sql: 'drop view animus.visible_pauses', found: ['objects view animus.visible_pauses is missing'] },
  {
    sql: 'create or replace view animus.visible_workspaces as select w.id, w.name, w.owner, w.created_at from animus.workspaces w',
    found: ['objects view animus.visible_workspaces is not that of this version of animus'],
  },
  {
    sql: 'drop function animus.worktree_status()',
    found: ['objects function animus.worktree_status() is missing'],
  },
  {
    sql: `create or replace function animus.is_operator() returns boolean language sql as 'select true'`,
    found: ['objects function animus.is_operator() is not that of this version of animus'],
  },
  {
    sql: 'alter function animus.pause(text, text) reset all',
    found: ['objects function animus.pause(text,text) is not that of this version of animus'],
  },
  {
    sql: 'alter table animus.work_items alter column priority drop default',
    found: ['objects column priority of animus.work_items has lost its default, instead of 0'],
  },
  {
    sql: 'alter table animus.grants alter column id drop identity',
    found: ['objects column id of animus.grants is no longer an identity column'],
  },
  {
    sql: 'alter table animus.foci disable trigger user',
    found: ['objects trigger check_phase of animus.foci is switched off'],
  },
  {
    sql: 'alter table animus.decisions disable trigger decisions_append_only',
    found: ['objects trigger decisions_append_only of animus.decisions is switched off'],
  },
  {
    sql: 'drop trigger work_items_check_input on animus.work_items',
    found: ['objects trigger work_items_check_input of animus.work_items is missing'],
  },
  {
    sql: 'revoke execute on function animus.resume(text) from animus_operator',
    found: ['objects role animus_operator has lost the right to execute on function animus.resume(text)'],
  },
  {
    sql: 'revoke select on animus.work_items from animus_reader',
    found: ['objects role animus_reader has lost the right to select on table animus.work_items'],
  },
  {
    sql: 'grant select on animus.work_ledger to public',
    found: ['objects everybody (public) has a right that animus does not give, to select on table animus.work_ledger'],
  },
  {
    sql: 'grant create on schema animus to animus_submitter',
    found: ['objects role animus_submitter has a right that animus does not give, to create on schema animus'],
  },
  {
    sql: `select setval('pgmq.q_animus_work_msg_id_seq', 1, false)`,
    found: ['sequences pgmq.q_animus_work_msg_id_seq is behind pgmq.q_animus_work.msg_id'],
  },
  {
    sql: `delete from animus.active_keys; insert into animus.active_keys values ('engineer', 'nobody', '01900000-0000-7000-8000-000000000001')`,
    found: [
      'keys 1 open work item whose dedup_key is not in animus.active_keys',
      'keys 1 row of animus.active_keys for no open work',
    ],
  },
  {
    sql: 'delete from animus.settings',
    found: ['settings rows animus.settings lacks min_client, spend_details_since, memory, spend_calls_since'],
  },
];

/** What a person puts right with the statement that the finding gives. */
const BY_HAND: readonly Damage[] = [
  { sql: 'drop index animus.work_items_claimable', found: ['objects index animus.work_items_claimable is missing'] },
  {
    sql: 'drop index animus.artifacts_created; create index artifacts_created on animus.artifacts (name)',
    found: ['objects index animus.artifacts_created has another definition'],
  },
  {
    sql: `update pg_index set indisvalid = false where indexrelid = 'animus.artifacts_focus'::regclass`,
    found: ['objects index animus.artifacts_focus is not valid'],
  },
  {
    sql: 'alter table animus.waits drop constraint waits_work_item_id_fkey',
    found: ['objects constraint waits_work_item_id_fkey of animus.waits is missing'],
  },
  {
    sql: 'alter table animus.work_items alter column description drop not null',
    found: ['objects column description of animus.work_items may be null'],
  },
  {
    sql: 'alter table animus.hook_runs disable trigger all',
    found: ['objects table animus.hook_runs does not check its foreign keys'],
  },
  { sql: 'alter table animus.freed_keys set unlogged', found: ['objects table animus.freed_keys is unlogged'] },
];

/** What others may add or change. */
const ALLOWED = `
  create index their_index on animus.work_items (source);
  create view animus.their_view as select id from animus.work_items;
  create function animus.their_function() returns int language sql as 'select 1';
  create function public.their_trigger() returns trigger language plpgsql as 'begin return new; end';
  create trigger their_trigger before insert on animus.work_items for each row execute function public.their_trigger();
  create role their_role_${process.pid}; grant usage on schema animus to their_role_${process.pid}; grant select on animus.work_items to their_role_${process.pid};
  alter table animus.work_items replica identity full;
  alter table animus.work_ledger set (autovacuum_vacuum_scale_factor = 0.01);
  alter table animus.work_ledger enable always trigger work_ledger_no_truncate`;

async function findings(db: Database = pg.database) {
  return (await examineDamage(db)).filter(({ state }) => state !== 'ok');
}

async function damage(rows: readonly Damage[]): Promise<string[]> {
  for (const { sql } of rows) await pg.database.query(sql);
  return rows.flatMap(({ found }) => found);
}

/** Each expected beginning with the finding that has it. */
function compare(found: Awaited<ReturnType<typeof findings>>, expected: readonly string[]): void {
  const said = found.map(({ check, detail }) => `${check} ${detail}`);
  expect(expected.filter((start) => !said.some((one) => one.startsWith(start)))).toEqual([]);
  expect(said.filter((one) => !expected.some((start) => one.startsWith(start)))).toEqual([]);
}

test('what others add or change is theirs', async () => {
  await pg.database.query(ALLOWED);
  expect(await findings()).toEqual([]);
  await pg.database.query(
    `drop owned by their_role_${process.pid}; drop role their_role_${process.pid}; drop trigger their_trigger on animus.work_items`,
  );
});

test('damage that loses nothing is named, and db migrate puts it right', async () => {
  const first = await insertWork(pg.database, { dedup_key: 'key' });
  await insertWork(pg.database);
  const tokens = [(await claimOne(pg.database)).leaseToken];
  await pg.database.query(
    `update animus.work_items set lease_token = null, state = 'queued', lease_owner = null, lease_expires_at = null, lease_seconds = null, attempts = 0 where id = $1`,
    [first],
  );
  const expected = await damage(MIGRATE);
  const before = await findings();
  compare(before, expected);
  for (const { remedy } of before) expect(remedy).toMatch(/^run: animus db migrate/);
  expect(before.map(({ remedy }) => remedy)).toContainEqual(
    expect.stringContaining('alter table animus.decisions enable trigger decisions_append_only;'),
  );
  await migrate(pg.database, { putBackFunctions: true });
  expect(await findings()).toEqual([]);
  tokens.push((await claimOne(pg.database)).leaseToken);
  expect(BigInt(tokens[1]!)).toBeGreaterThan(BigInt(tokens[0]!));
  const again = await migrate(pg.database, { putBackFunctions: true });
  expect(again).toMatchObject({ applied: [], functions: [], mended: [] });
});

test('damage that may cost something is named with the statement for it, and db migrate leaves it', async () => {
  const expected = await damage(BY_HAND);
  await migrate(pg.database, { putBackFunctions: true });
  const before = await findings();
  compare(before, expected);
  for (const { remedy } of before) {
    await pg.database.query(/^run as (?:the owner of the schema|a superuser): (.*)$/.exec(remedy ?? '')![1]!);
  }
  expect(await findings()).toEqual([]);
});

test('checks that need what is missing say that they were not made', async () => {
  await pg.database.query('alter table animus.waits rename to lost_waits');
  const found = await findings();
  expect(found).toContainEqual(
    expect.objectContaining({
      check: 'waits',
      state: 'note',
      detail: expect.stringMatching(/^not checked, because .*animus\.waits/),
    }),
  );
  await pg.database.query('alter table animus.lost_waits rename to waits');
});

test('rows of schema_migrations that were deleted are written again, if the schema is that of this animus', async () => {
  await pg.database.query('delete from animus.schema_migrations');
  const { mended } = await migrate(pg.database, { putBackFunctions: true });
  expect(mended).toEqual([expect.stringMatching(/^\d+ rows of animus\.schema_migrations were missing$/)]);
  expect(await findings()).toEqual([]);
});

test.skipIf(OLDER_POSTGRES === null)('the oldest PostgreSQL makes the same objects', async () => {
  const older = await startOlderPostgres(OLDER_POSTGRES!);
  const db = openPostgres(older.url, { poolSize: 2 });
  try {
    await migrate(db);
    expect(await findings(db)).toEqual([]);
  } finally {
    await db.close();
    await older.stop();
  }
});
