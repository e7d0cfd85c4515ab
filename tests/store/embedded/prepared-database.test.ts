/** Promise: a first start that unpacks the prepared database ends with the same as one that runs the migrations, and with secrets of its own. */
import { existsSync, mkdirSync, readdirSync, statSync, truncateSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { zstdCompressSync } from 'node:zlib';
import { beforeAll, expect, test } from 'vitest';
import { prepareDatabase } from '../../../scripts/prepare-database.ts';
import { openEmbedded } from '../../../src/store/embedded/embedded.ts';
import { type PreparedHeader, unpackPrepared } from '../../../src/store/embedded/prepared-database.ts';
import { migrate } from '../../../src/store/migrations/migrate.ts';
import { schemaFingerprint } from '../../../src/store/migrations/migration-files.ts';
import { readDamage } from '../../../src/store/migrations/damage/schema-damage.ts';
import type { Database } from '../../../src/store/sql/database.ts';
import { readValue } from '../../../src/store/sql/read-value.ts';
import { temporaryHome } from '../../support/database.ts';

const made = temporaryHome();
const prepared = pathToFileURL(join(made, 'prepared.zst'));
beforeAll(() => prepareDatabase(join(made, 'prepared.zst'), 1), 240_000);

const homes = { one: temporaryHome(), other: temporaryHome(), killed: temporaryHome(), small: temporaryHome() };

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

test('the file of other migrations is not used, and an absent one is not missed', async () => {
  const [directory, file] = [join(homes.small, 'db'), join(homes.small, 'prepared.zst')];
  mkdirSync(directory);
  const header = { schema: 'other', directories: ['base'], files: [['base/1', 5, 3]] } satisfies PreparedHeader;
  writeFileSync(file, zstdCompressSync(`${JSON.stringify(header)}\nabc`));
  expect(await unpackPrepared(directory, pathToFileURL(file))).toBe(false);
  expect(await unpackPrepared(directory, pathToFileURL(join(homes.small, 'none')))).toBe(false);
  expect(existsSync(join(directory, 'base'))).toBe(false);
  const own = { ...header, schema: await schemaFingerprint() };
  writeFileSync(file, zstdCompressSync(`${JSON.stringify(own)}\nabc`));
  expect(await unpackPrepared(directory, pathToFileURL(file))).toBe(true);
  expect(statSync(join(directory, 'base/1'))).toMatchObject({ size: 5, mode: 0o100_600 });
});

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
