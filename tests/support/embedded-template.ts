/** An embedded database that is created once for all runs on the same sources, and then copied. A first start with its migrations costs 4 s of processor time, a copy 0.3. */
import { createHash } from 'node:crypto';
import { cpSync, existsSync, mkdirSync, mkdtempSync, readdirSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { inject } from 'vitest';
import { prepareDatabase } from '../../scripts/prepare-database.ts';
import { openEmbedded } from '../../src/store/embedded/embedded.ts';
import { migrate } from '../../src/store/migrations/migrate.ts';
import { offerPrepared } from './prepared-file.ts';

const ROOT = resolve(import.meta.dirname, '../..');
const CACHE = join(ROOT, 'node_modules/.cache/animus-tests');
/** The sources that a new, migrated database depends on. */
const SOURCES = [
  'migrations',
  'scripts/prepare-database.ts',
  'src/store/embedded',
  'src/store/migrations',
  'package-lock.json',
];
const PREPARED = 'prepared-database.zst';

/**
 * The home of the template. Creates it if there is none for these sources, and removes those of other sources. Databases that tests create
 * unpack a prepared one that was made with it. Safe for concurrent runs.
 */
export async function embeddedTemplate(): Promise<string> {
  const home = join(CACHE, `embedded-${fingerprint()}`);
  if (!existsSync(home)) await makeTemplate(home);
  offerPrepared(join(home, PREPARED));
  return home;
}

async function makeTemplate(home: string): Promise<void> {
  mkdirSync(CACHE, { recursive: true });
  for (const old of readdirSync(CACHE)) {
    if (old.startsWith('embedded-')) rmSync(join(CACHE, old), { recursive: true, force: true });
  }
  const making = mkdtempSync(join(CACHE, 'making-'));
  await prepareDatabase(join(making, PREPARED), 1);
  const database = await openEmbedded({ home: making, prepared: null });
  try {
    await migrate(database);
  } finally {
    await database.close();
  }
  try {
    renameSync(making, home);
  } catch (error) {
    if (!existsSync(home)) throw error;
    rmSync(making, { recursive: true });
  }
}

/** Gives a home a copy of a database that was started and migrated before. `home` need not exist yet. */
export function copyEmbeddedDatabase(home: string): void {
  mkdirSync(home, { recursive: true, mode: 0o700 });
  cpSync(join(inject('embeddedTemplate'), 'db'), join(home, 'db'), { recursive: true });
}

function fingerprint(): string {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    for (const file of filesIn(join(ROOT, source))) hash.update(`${file}\0`).update(readFileSync(file));
  }
  return hash.digest('hex').slice(0, 16);
}

function filesIn(path: string): string[] {
  if (!existsSync(path)) throw new Error(`the template's sources are elsewhere: ${path}`);
  if (/\.(json|ts)$/.test(path)) return [path];
  return readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}
