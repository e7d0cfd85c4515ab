/** Promise: a first start that unpacks the prepared database ends with the same as one that runs the migrations, and with secrets of its own. */
import { existsSync, mkdirSync, readdirSync, rmdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { beforeAll, expect, test } from 'vitest';
import { inFile, prepareDatabase } from '../../../scripts/prepare-database.ts';
import { connectOrOpenEmbedded } from '../../../src/store/embedded/connect-embedded.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { madeOf, type PreparedHeader, unpackPrepared } from '../../../src/store/embedded/prepared-database.ts';
import { readDamage } from '../../../src/store/migrations/damage/schema-damage.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { readValue, readValues } from '../../../src/store/sql/read-value.ts';
import { temporaryHome } from '../../support/database.ts';
import { copyEmbeddedDatabase } from '../../support/embedded-template.ts';
import { memoryDirectory } from '../../support/memory-directory.ts';

const newHome = () => temporaryHome(memoryDirectory('home'));
const made = newHome();
const prepared = pathToFileURL(join(made, 'prepared.zst'));
beforeAll(() => prepareDatabase(join(made, 'prepared.zst'), 1), 240_000);

const homes = {
  one: newHome(),
  other: newHome(),
  killed: newHome(),
  small: newHome(),
  both: newHome(),
  full: newHome(),
};

test('two installations have the whole schema, no migration runs, and their secrets differ', {
  timeout: 240_000,
}, async () => {
  const secrets: string[] = [];
  for (const home of [homes.one, homes.other]) {
    await opened(home, async (database) => {
      expect(await migrate(database)).toMatchObject({ applied: [], functions: [], mended: [] });
      expect(await readDamage(database)).toEqual([]);
      secrets.push(await secretOf(database));
      const oldest = 'select min(applied_at) > now() - interval $$1 minute$$ from animus.';
      expect(await readValue<boolean>(database, `${oldest}schema_migrations`)).toBe(true);
      expect(await readValue<boolean>(database, `${oldest}schema_functions`)).toBe(true);
    });
  }
  expect(new Set(secrets).size).toBe(2);
  expect(secrets.map((secret) => secret.length)).toEqual([64, 64]);
});

test('it is unpacked once: what was written later is there after the next start', { timeout: 240_000 }, async () => {
  const before = await opened(homes.one, async (database) => {
    await database.query('create table kept (n int)');
    return secretOf(database);
  });
  await opened(homes.one, async (database) => {
    expect(await database.query('select n from kept')).toEqual([]);
    expect(await secretOf(database)).toBe(before);
  });
});

test('what a process left that was killed while it unpacked is not taken for the database', {
  timeout: 240_000,
}, async () => {
  const directory = join(homes.killed, 'db');
  mkdirSync(directory);
  writeFileSync(join(homes.killed, 'db.first-start'), '');
  await unpackPrepared(directory, prepared);
  truncateSync(join(directory, 'global/pg_control'), 100);
  await opened(homes.killed, async (database) => expect((await secretOf(database)).length).toBe(64));
  expect(readdirSync(homes.killed).toSorted()).toEqual(['db', 'db.lock']);
});

test('a file that is damaged, of other migrations, not readable or absent is not used', async () => {
  const [directory, file] = [join(homes.small, 'db'), join(homes.small, 'prepared.zst')];
  mkdirSync(directory);
  const unpacked = () => unpackPrepared(directory, pathToFileURL(file));
  const entries = { directories: ['base'], files: [['base/1', 5, 3]] } satisfies Partial<PreparedHeader>;
  const fileOf = (made: string) => inFile(Buffer.from(`${JSON.stringify({ madeOf: made, ...entries })}\nabc`), 1);
  const whole = fileOf(await madeOf());
  expect(await unpacked()).toBe(false);
  mkdirSync(file);
  expect(await unpacked()).toBe(false);
  rmdirSync(file);
  const changed = Buffer.from(whole);
  changed[changed.length - 1]! ^= 1;
  for (const bad of [fileOf('other migrations'), changed, whole.subarray(0, -1), Buffer.alloc(0)]) {
    writeFileSync(file, bad);
    expect(await unpacked()).toBe(false);
  }
  expect(readdirSync(directory)).toEqual([]);
  writeFileSync(file, whole);
  expect(await unpacked()).toBe(true);
  expect(statSync(join(directory, 'base/1'))).toMatchObject({ size: 5, mode: 0o100_600 });
});

test('of two processes that start at once, one makes the database and the other waits for it', {
  timeout: 240_000,
}, async () => {
  const home = homes.both;
  const both = await Promise.all([1, 2].map(() => connectOrOpenEmbedded({ home, prepared })));
  const secrets = await Promise.all(both.map(secretOf));
  expect(new Set(secrets).size).toBe(1);
  await Promise.all(both.map((one) => one.close()));
});

test('a directory that cannot be filled is refused, and made anew at the next start', {
  timeout: 240_000,
}, async () => {
  const home = homes.full;
  // Stands for a full disk: a directory is where a file of the database would be.
  const blocked = pathToFileURL(join(home, 'prepared.zst'));
  const header = { madeOf: await madeOf(), directories: ['base', 'base/1'], files: [['base/1', 5, 3]] };
  writeFileSync(blocked, inFile(Buffer.from(`${JSON.stringify(header)}\nabc`), 1));
  await expect(openEmbedded({ home, prepared: blocked })).rejects.toThrow();
  expect(existsSync(join(home, 'db.first-start'))).toBe(true);
  await opened(home, async (database) => expect((await secretOf(database)).length).toBe(64));
});

test('what differs between two installations is made anew by the first start', { timeout: 240_000 }, async () => {
  const home = newHome();
  copyEmbeddedDatabase(home);
  const migrated = await opened(home, columnsOf);
  const unpacked = await opened(homes.one, columnsOf);
  expect([...unpacked.keys()]).toEqual([...migrated.keys()]);
  // A column that is not listed here must be in `MAKE_OWN` first.
  expect([...unpacked].flatMap(([column, values]) => (migrated.get(column) === values ? [] : [column]))).toEqual([
    'animus.notice_secret.secret',
    'animus.schema_functions.applied_at',
    'animus.schema_migrations.applied_at',
    'animus.settings.value',
    'pgmq.meta.created_at',
  ]);
});

/** The values of each column of the tables that have rows. */
async function columnsOf(database: Database): Promise<ReadonlyMap<string, string>> {
  const tables = await readValues<string>(
    database,
    `select format('%I.%I', schemaname, tablename) from pg_tables where schemaname in ('animus', 'pgmq') order by 1`,
  );
  const columns = new Map<string, string>();
  for (const table of tables) {
    const read = `
      select field.key, string_agg(field.value, ' ' order by field.value) as values
        from ${table} as one, jsonb_each_text(to_jsonb(one)) as field group by 1 order by 1`;
    for (const { key, values } of await database.query<{ key: string; values: string }>(read))
      columns.set(`${table}.${key}`, values);
  }
  return columns;
}

async function opened<T>(home: string, work: (database: Database) => Promise<T>): Promise<T> {
  const database = await openEmbedded({ home, prepared });
  try {
    return await work(database);
  } finally {
    await database.close();
  }
}

/** In hexadecimal digits. */
function secretOf(database: Database): Promise<string> {
  return readValue<string>(database, `select encode(secret, 'hex') from animus.notice_secret`);
}
