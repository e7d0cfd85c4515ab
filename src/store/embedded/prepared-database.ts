/**
 * The database that comes with the package: a data directory in which the migrations have run. A first start unpacks it instead of running them,
 * which takes 4 s of processor time. `scripts/prepare-database.ts` writes it when the package is built; a clone that was not built has none.
 */
import { createHash, hash } from 'node:crypto';
import { mkdir, open, readdir, readFile } from 'node:fs/promises';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';
import { zstdDecompress } from 'node:zlib';
import { readSchemaFiles } from '../migrations/migration-files.ts';

/** In `dist/`, of a package and of a clone that was built. */
export const PREPARED_DATABASE = new URL('../../../dist/store/embedded/prepared-database.zst', import.meta.url);

/** What the file begins with: the SHA-256 of its rest, which is compressed. */
export const DIGEST_BYTES = 32;

/** The first line of the unpacked rest, as JSON. The contents of the files follow, one after the other. */
export interface PreparedHeader {
  /** Of what it was made (`madeOf`). */
  readonly madeOf: string;
  /** With `/`, relative to the data directory; a directory comes before what it contains. */
  readonly directories: readonly string[];
  /** Path, size in bytes, and how many of them are stored: what is missing at the end is zeros. */
  readonly files: readonly (readonly [path: string, size: number, stored: number])[];
}

/**
 * Fills an empty data directory. False, and nothing is written, if the file cannot be read, is damaged, or was made
 * of other migrations or another PGlite than those that are here: the migrations run then. What is left of a process that was killed is removed like any first start that was not finished.
 */
export async function unpackPrepared(directory: string, file: URL): Promise<boolean> {
  const packed = await readFile(file).catch(() => null);
  if (packed === null || !isWhole(packed)) return false;
  const content = await promisify(zstdDecompress)(packed.subarray(DIGEST_BYTES));
  const begin = content.indexOf('\n') + 1;
  const header = JSON.parse(content.toString('utf8', 0, begin)) as PreparedHeader;
  if (header.madeOf !== (await madeOf())) return false;
  for (const path of header.directories) await mkdir(join(directory, path), { mode: 0o700 });
  let at = begin;
  const writes = header.files.map(([path, size, stored]) => {
    const bytes = content.subarray(at, (at += stored));
    return writeSized(join(directory, path), bytes, size);
  });
  await Promise.all(writes);
  return true;
}

function isWhole(packed: Buffer): boolean {
  return packed.subarray(0, DIGEST_BYTES).equals(hash('sha256', packed.subarray(DIGEST_BYTES), 'buffer'));
}

/** Differs where a migration, a function or the version of PGlite or one of its extensions does: a hash of their names, checksums and versions. */
export async function madeOf(): Promise<string> {
  const made = createHash('sha256');
  const manifest: unknown = JSON.parse(await readFile(new URL('../../../package.json', import.meta.url), 'utf8'));
  for (const [name, version] of Object.entries((manifest as { dependencies: Record<string, string> }).dependencies))
    if (name.startsWith('@electric-sql/')) made.update(`${name} ${version}\n`);
  const { migrations, functions } = await readSchemaFiles();
  for (const { name, checksum } of [...migrations, ...functions]) made.update(`${name} ${checksum}\n`);
  return made.digest('hex');
}

async function writeSized(path: string, bytes: Buffer, size: number): Promise<void> {
  const file = await open(path, 'wx', 0o600);
  try {
    await file.writeFile(bytes);
    if (bytes.length < size) await file.truncate(size);
  } finally {
    await file.close();
  }
}

/** Returns when the disk has the whole directory, and its name. */
export async function syncDirectory(directory: string): Promise<void> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  await Promise.all(files.map((entry) => sync(join(entry.parentPath, entry.name), 'r+')));
  // Windows has no handles of directories.
  if (process.platform === 'win32') return;
  const directories = entries.filter((entry) => entry.isDirectory());
  const paths = directories.map((entry) => join(entry.parentPath, entry.name));
  await Promise.all([...paths, directory, dirname(directory)].map((path) => sync(path, 'r')));
}

async function sync(path: string, flags: 'r' | 'r+'): Promise<void> {
  const handle = await open(path, flags);
  try {
    await handle.sync();
  } finally {
    await handle.close();
  }
}

/** What must not be the same in all installations, and when it was made. */
export const MAKE_OWN = `
  update animus.notice_secret set secret = uuid_send(gen_random_uuid()) || uuid_send(gen_random_uuid());
  update animus.schema_migrations set applied_at = now();
  update animus.schema_functions set applied_at = now();
  update animus.settings set value = to_jsonb(now()) where key = 'spend_details_since';
  update pgmq.meta set created_at = now();`;
