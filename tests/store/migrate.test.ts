import { mkdirSync, rmSync, writeFileSync } from 'node:fs';
import { describe, expect, test } from 'vitest';
import { checkCompatible, migrationStatus } from '../../src/store/compatibility.ts';
import type { Database } from '../../src/store/database.ts';
import { migrate } from '../../src/store/migrate.ts';
import { embeddedDatabase, temporaryHome, testDatabase } from '../support/database.ts';

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

describe.each(['postgres', 'embedded'] as const)('on %s', (kind) => {
  const target = kind === 'postgres' ? testDatabase({ empty: true }) : embeddedDatabase();
  const directory = directoryOf(FILES);

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

  test('a second run changes nothing, a changed function file is applied again', async () => {
    expect(await migrate(target.database, { directory })).toEqual({ applied: [], functions: [], version: 2 });
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

  test('a migration that fails leaves nothing of itself and names its file', async () => {
    write(directory, { '0003_break_things.sql': 'create table animus.half (id int);\nselect 1/0;' });
    await expect(migrate(target.database, { directory })).rejects.toThrow(
      /0003_break_things\.sql failed: division by zero/,
    );
    expect(await target.database.query("select to_regclass('animus.half') as half")).toEqual([{ half: null }]);
    await expect(checkCompatible(target.database, directory)).rejects.toMatchObject({ code: 'db.schema_older' });
    rmSync(`${directory}/0003_break_things.sql`);
  });

  test('a schema that needs a later animus is refused', async () => {
    await target.database.query("update animus.settings set value = '3' where key = 'min_client'");
    await expect(checkCompatible(target.database, directory)).rejects.toMatchObject({ code: 'db.schema_newer' });
  });
});
