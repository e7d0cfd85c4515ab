import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkCompatible, migrationStatus } from '../../../src/store/migrations/compatibility.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { openPostgres } from '../../../src/store/postgres/postgres.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { embeddedDatabase, temporaryHome, testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';

const FILES = {
  '0001_create_settings.sql':
    "create table animus.settings (key text primary key, value jsonb not null);\ninsert into animus.settings values ('min_client', '1');",
  '0002_create_things.sql': "create table animus.things (id int);\nselect pgmq.create('things');",
  'functions/answer.sql': "create or replace function animus.answer() returns int language sql as 'select 42';",
};

function directoryOf(files: Record<string, string>): string {
  const directory = temporaryHome();
  mkdirSync(`${directory}/functions`);
  write(directory, files);
  return directory;
}

function write(directory: string, files: Record<string, string>): void {
  for (const [name, sql] of Object.entries(files)) writeFileSync(`${directory}/${name}`, sql);
}

const alone = testDatabase({ empty: true });
const unfinished = testDatabase({ empty: true });

describe.each(['postgres', 'embedded'] as const)('on %s', (kind) => {
  const target = kind === 'postgres' ? testDatabase({ empty: true }) : embeddedDatabase({ empty: true });
  const directory = directoryOf(FILES);
  const older = directoryOf({
    '0001_create_settings.sql': FILES['0001_create_settings.sql'],
    'functions/answer.sql': FILES['functions/answer.sql'].replace('42', '41'),
  });

  test('processes that race apply everything once', async () => {
    const database: Database = target.database;
    await expect(checkCompatible(database, directory)).rejects.toMatchObject({ code: 'db.not_migrated' });
    const results = await Promise.all([1, 2, 3, 4].map(() => migrate(database, { directory })));
    expect(results.flatMap((result) => result.applied).sort()).toEqual([
      '0001_create_settings.sql',
      '0002_create_things.sql',
    ]);
    expect(results.flatMap((result) => result.functions)).toEqual(['answer.sql']);
    expect(results.map((result) => result.version)).toEqual([2, 2, 2, 2]);
    expect(await database.query('select animus.answer()')).toEqual([{ answer: 42 }]);
    expect(await database.query("select pgmq.send('things'::text, '{}'::jsonb) as id")).toEqual([{ id: '1' }]);
    const [memory] = await database.query<{ value: { vector: boolean } }>(
      "select value from animus.settings where key = 'memory'",
    );
    expect(memory?.value.vector).toBe(kind === 'embedded');
    await checkCompatible(database, directory);
  });

  test('a second run changes nothing, and a changed function file is applied again', async () => {
    expect(await migrate(target.database, { directory })).toMatchObject({ applied: [], functions: [], version: 2 });
    write(directory, { 'functions/answer.sql': FILES['functions/answer.sql'].replace('42', '43') });
    expect((await migrationStatus(target.database, directory)).staleFunctions).toEqual(['answer.sql']);
    expect((await migrate(target.database, { directory })).functions).toEqual(['answer.sql']);
    expect(await target.database.query('select animus.answer()')).toEqual([{ answer: 43 }]);
  });

  test('a migration whose content changed after it was applied is refused', async () => {
    write(directory, { '0002_create_things.sql': 'select 1;' });
    await expect(migrate(target.database, { directory })).rejects.toMatchObject({ code: 'db.migration_changed' });
    expect((await migrationStatus(target.database, directory)).migrations.map((row) => row.state)).toEqual([
      'applied',
      'changed',
    ]);
    write(directory, { '0002_create_things.sql': FILES['0002_create_things.sql'] });
  });

  test('a migration that fails leaves nothing behind and names its file', async () => {
    write(directory, { '0003_break_things.sql': 'create table animus.half (id int);\nselect 1/0;' });
    await expect(migrate(target.database, { directory })).rejects.toThrow(
      /0003_break_things\.sql failed: division by zero/,
    );
    expect(await target.database.query("select to_regclass('animus.half') as half")).toEqual([{ half: null }]);
    await expect(checkCompatible(target.database, directory)).rejects.toMatchObject({ code: 'db.schema_older' });
    rmSync(`${directory}/0003_break_things.sql`);
  });

  test('a schema of a newer animus is left as it is, including its functions', async () => {
    expect(await migrate(target.database, { directory: older })).toMatchObject({
      applied: [],
      functions: [],
      version: 2,
    });
    expect(await target.database.query('select animus.answer()')).toEqual([{ answer: 43 }]);
  });

  test('functions that another animus replaced are restored only on request', async () => {
    const answer = async () => (await target.database.query('select animus.answer()'))[0];
    const [before, after] = [directoryOf(FILES), directoryOf(FILES)];
    write(before, { 'functions/answer.sql': FILES['functions/answer.sql'].replace('42', '1') });
    write(after, { 'functions/answer.sql': FILES['functions/answer.sql'].replace('42', '2') });
    await migrate(target.database, { directory: before });
    await migrate(target.database, { directory: after });
    // A daemon of the previous version restarts during an upgrade.
    expect((await migrate(target.database, { directory: before })).functions).toEqual([]);
    expect(await answer()).toEqual({ answer: 2 });
    const back = await migrate(target.database, { directory: before, putBackFunctions: true });
    expect([back.functions, await answer()]).toEqual([['answer.sql'], { answer: 1 }]);
    expect((await migrate(target.database, { directory: after })).functions).toEqual([]);
  });

  test('a schema that needs a newer animus is refused', async () => {
    await target.database.query("update animus.settings set value = '3' where key = 'min_client'");
    await expect(checkCompatible(target.database, directory)).rejects.toMatchObject({ code: 'db.schema_newer' });
    await expect(migrate(target.database, { directory: older })).rejects.toMatchObject({ code: 'db.schema_newer' });
  });
});

describe('a server or role that cannot be migrated is refused with advice', () => {
  const target = testDatabase({ empty: true });
  const directory = directoryOf(FILES);

  test('a role without the right to create schemas', async () => {
    await target.database.query("create role animus_test_limited login password 'limited'");
    const url = new URL(target.connectionString);
    [url.username, url.password] = ['animus_test_limited', 'limited'];
    const limited = openPostgres(url.href);
    const refused = expect.objectContaining({
      code: 'db.refused',
      message: expect.stringContaining('grant create on database'),
    });
    await expect(migrate(limited, { directory })).rejects.toEqual(refused);
    await target.database.query(
      `do $$ begin execute format('grant create on database %I to animus_test_limited', current_database()); end $$`,
    );
    // That right is enough; no superuser is needed.
    expect(await migrate(limited, { directory })).toMatchObject({ version: 2 });
    await limited.close();
    await target.database.query('drop owned by animus_test_limited; drop role animus_test_limited');
  });

  test('a read-only server', async () => {
    const url = new URL(target.connectionString);
    url.searchParams.set('options', '-c default_transaction_read_only=on');
    const readOnly = openPostgres(url.href);
    await expect(migrate(readOnly, { directory })).rejects.toMatchObject({
      code: 'db.refused',
      message: expect.stringContaining('read-only'),
    });
    await readOnly.close();
  });

  test('a directory with a gap, a number used twice or a strange name', async () => {
    for (const name of ['0004_skip_one.sql', '0002_create_twice.sql', '3_short.sql', '0003-dashes.sql']) {
      const broken = directoryOf({ ...FILES, [name]: 'select 1;' });
      await expect(migrate(target.database, { directory: broken })).rejects.toMatchObject({
        code: 'db.migration_failed',
      });
    }
  });
});

describe('functions', () => {
  const target = testDatabase({ empty: true });

  test('are applied all together or not at all, and the broken file is named', async () => {
    const directory = directoryOf({
      ...FILES,
      'functions/broken.sql': 'create function animus.broken() returns int language sql as $$ select nothing $$;',
    });
    await expect(migrate(target.database, { directory })).rejects.toThrow(
      /functions\/broken\.sql failed: column "nothing" does not exist/,
    );
    expect(await target.database.query("select to_regprocedure('animus.answer()') as answer")).toEqual([
      { answer: null },
    ]);
    write(directory, {
      'functions/broken.sql': 'create function animus.broken() returns int language sql as $$ select 1 $$;',
    });
    expect(await migrate(target.database, { directory })).toMatchObject({
      applied: ['0001_create_settings.sql', '0002_create_things.sql'],
      functions: ['answer.sql', 'broken.sql'],
      version: 2,
    });
  });
});

test('a migrating process that is cut off leaves no lock, and the next one finishes', async () => {
  const directory = directoryOf(FILES);
  await migrate(alone.database, { directory });
  write(directory, { '0003_wait_long.sql': 'select pg_sleep(30);' });
  const cut = migrate(alone.open(), { directory });
  const failed = expect(cut).rejects.toMatchObject({ code: 'db.unreachable' });
  await expect
    .poll(async () => {
      const rows = await alone.database.query(
        "select pg_terminate_backend(pid) from pg_stat_activity where query = 'select pg_sleep(30);'",
      );
      return rows.length;
    })
    .toBe(1);
  await failed;
  write(directory, { '0003_wait_long.sql': 'select 1;' });
  expect(await migrate(alone.database, { directory })).toMatchObject({ applied: ['0003_wait_long.sql'], version: 3 });
});

test('a schema without the functions of the function files counts as not migrated, and the next call finishes it', async () => {
  const directory = directoryOf({
    ...FILES,
    '0003_make_function.sql': "create function animus.of_a_migration() returns int language sql as 'select 1';",
    'functions/answer.sql': 'nonsense;',
  });
  const database = unfinished.database;
  await expect(migrate(database, { directory })).rejects.toMatchObject({ code: 'db.migration_failed' });
  await expect(checkCompatible(database, directory)).rejects.toMatchObject({ code: 'db.not_migrated' });
  write(directory, FILES);
  await migrate(database, { directory });
  await checkCompatible(database, directory);
});

describe('the functions are replaced while a daemon runs', () => {
  const live = testDatabase();

  test('that reads a row and then writes it, although a trigger is dropped in between', async () => {
    await live.database.query(`insert into animus.work_items (faculty) values ('worker')`);
    // As in the version before migration 7.
    await live.database.query(`delete from animus.schema_functions`);
    await live.database.query(
      `create function animus.work_items_free_key() returns trigger language plpgsql as 'begin return null; end'`,
    );
    await live.database.query(
      `create trigger work_items_free_key after update on animus.work_items for each row execute function animus.work_items_free_key()`,
    );
    const writer = live.open();
    let migrating: Promise<unknown> | undefined;
    await writer.transaction(async (tx) => {
      await tx.query(`select from animus.work_items for no key update`);
      migrating = migrate(live.open());
      await eventually('the migration waits', async () => {
        const waiting = await live.database.query(
          `select from pg_locks where not granted and relation = 'animus.work_items'::regclass`,
        );
        return waiting.length > 0 ? true : null;
      });
      await tx.query(`update animus.work_items set description = 'written'`);
    });
    expect(await migrating).toMatchObject({ functions: expect.arrayContaining(['02_intake.sql']) });
    expect(await live.database.query(`select description from animus.work_items`)).toEqual([
      { description: 'written' },
    ]);
  });
});
