/** The database that comes with the package: created, migrated and packed into one file, which a first start unpacks (`src/store/embedded/prepared-database.ts`). */
import { hash } from 'node:crypto';
import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join, relative, sep } from 'node:path';
import { constants, zstdCompressSync } from 'node:zlib';
import { openEmbedded } from '../src/store/embedded/embedded.ts';
import { madeOf, type PreparedHeader } from '../src/store/embedded/prepared-database.ts';
import { migrate } from '../src/store/migrations/migrate.ts';
import { readValue } from '../src/store/sql/read-value.ts';

/** Makes it anew, which takes 15 s of processor time at the default `level` of compression, and 5 at level 1. */
export async function prepareDatabase(to: string, level = 19): Promise<void> {
  const home = mkdtempSync(join(tmpdir(), 'animus-prepared-'));
  try {
    const log = await createDatabase(home);
    const content = packed(join(home, 'db'), log, await madeOf());
    mkdirSync(dirname(to), { recursive: true });
    writeFileSync(to, inFile(content, level));
  } finally {
    rmSync(home, { recursive: true });
  }
}

/** Returns the name of the one file of the write-ahead log that is still needed. */
async function createDatabase(home: string): Promise<string> {
  const database = await openEmbedded({ home, prepared: null });
  try {
    await migrate(database);
    // Each installation has its own (`MAKE_OWN`).
    await database.query(`update animus.notice_secret set secret = ''`);
    for (const statement of ['vacuum full analyze', 'checkpoint', 'select pg_switch_wal()', 'checkpoint'])
      await database.query(statement);
    return await readValue<string>(database, 'select pg_walfile_name(pg_current_wal_lsn())');
  } finally {
    await database.close();
  }
}

function packed(directory: string, log: string, made: string): Buffer {
  const entries = readdirSync(directory, { recursive: true, withFileTypes: true }).map((entry) => ({
    isFile: entry.isFile(),
    path: relative(directory, join(entry.parentPath, entry.name)).split(sep).join('/'),
  }));
  const sorted = entries.toSorted((one, other) => (one.path < other.path ? -1 : 1));
  const kept = sorted.filter(({ isFile, path }) => isFile && isNeeded(path, log));
  const contents = kept.map(({ path }) => ({ path, bytes: readFileSync(join(directory, path)) }));
  const stored = contents.map(({ bytes }) => withoutZerosAtTheEnd(bytes));
  const header: PreparedHeader = {
    madeOf: made,
    directories: sorted.filter(({ isFile }) => !isFile).map(({ path }) => path),
    files: contents.map(({ path, bytes }, index) => [path, bytes.length, stored[index]!.length]),
  };
  return Buffer.concat([Buffer.from(`${JSON.stringify(header)}\n`), ...stored]);
}

/** Of the log, the file of the last checkpoint: the database was closed. What the process leaves about itself is not part of it. */
function isNeeded(path: string, log: string): boolean {
  if (/^pg_wal\/[0-9A-F]{24}$/.test(path)) return path === `pg_wal/${log}`;
  return path !== 'postmaster.pid' && path !== 'postmaster.opts';
}

function withoutZerosAtTheEnd(bytes: Buffer): Buffer {
  let end = bytes.length;
  while (end > 0 && bytes[end - 1] === 0) end -= 1;
  return bytes.subarray(0, end);
}

/** The content as it is in the file, with its hash. */
export function inFile(content: Uint8Array, level: number): Buffer {
  // The largest window that is unpacked without being allowed.
  const params = { [constants.ZSTD_c_compressionLevel]: level, [constants.ZSTD_c_windowLog]: 27 };
  const packed = zstdCompressSync(content, { params });
  return Buffer.concat([hash('sha256', packed, 'buffer'), packed]);
}
