/**
 * The database that comes with the package: a data directory in which the migrations have run. A first start unpacks it instead of running them,
 * which takes 4 s of processor time. `scripts/prepare-database.ts` writes it when the package is built; a clone that was not built has none.
 */
import { mkdir, open, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { schemaFingerprint } from '../migrations/migration-files.ts';

/** In `dist/`, of a package and of a clone that was built. */
export const PREPARED_DATABASE = new URL('../../../dist/store/embedded/prepared-database.zst', import.meta.url);

/** The first line of the unpacked file, as JSON. The contents of the files follow, one after the other. */
export interface PreparedHeader {
  /** `schemaFingerprint` of the migrations that have run. */
  readonly schema: string;
  /** With `/`, relative to the data directory; a directory comes before what it contains. */
  readonly directories: readonly string[];
  /** Path, size in bytes, and how many of them are stored: what is missing at the end is zeros. */
  readonly files: readonly (readonly [path: string, size: number, stored: number])[];
}

/**
 * Fills an empty data directory, and returns when the disk has it. False, and nothing is written, without a prepared database for the
 * migrations that are here. What is left of a process that was killed is removed like any first start that was not finished.
 */
export async function unpackPrepared(directory: string, file: URL): Promise<boolean> {
  const packed = await readFile(file).catch(nullIfAbsent);
  if (packed === null) return false;
  const content = await promisify(zstdDecompress)(packed);
  const begin = content.indexOf('\n') + 1;
  const header = JSON.parse(content.toString('utf8', 0, begin)) as PreparedHeader;
  if (header.schema !== (await schemaFingerprint())) return false;
  for (const path of header.directories) await mkdir(join(directory, path), { mode: 0o700 });
  let at = begin;
  const writes = header.files.map(([path, size, stored]) => {
    const bytes = content.subarray(at, (at += stored));
    return writeDurably(join(directory, path), bytes, size);
  });
  await Promise.all(writes);
  const changed = [...header.directories.map((path) => join(directory, path)), directory, dirname(directory)];
  await Promise.all(changed.map(syncDirectory));
  return true;
}

async function writeDurably(path: string, bytes: Buffer, size: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    if (bytes.length < size) await file.truncate(size);
    await file.datasync();
  } finally {
    await file.close();
  }
}

/** Windows has no handles of directories. */
async function syncDirectory(path: string): Promise<void> {
  if (process.platform === 'win32') return;
  const directory = await open(path, 'r');
  try {
    await directory.sync();
  } finally {
    await directory.close();
  }
}

/** What must not be the same in all installations, and when it was made. */
export const MAKE_OWN = `
  update animus.notice_secret set secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
  update animus.schema_migrations set applied_at = now();
  update animus.schema_functions set applied_at = now();
  update animus.settings set value = to_jsonb(now()) where key = 'spend_details_since';
  update pgmq.meta set created_at = now();`;

function nullIfAbsent(error: unknown): null {
  if ((error as { code?: unknown }).code === 'ENOENT') return null;
  throw error;
}
