/** Where the built console is: in the package, or in a cache of the clone, into which the first request has it built. */
import { execFile } from 'node:child_process';
import { createHash } from 'node:crypto';
import { existsSync } from 'node:fs';
import { chmod, mkdir, mkdtemp, readdir, readFile, rename, rm, stat } from 'node:fs/promises';
import { createRequire } from 'node:module';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { AnimusError } from '../../core/errors/errors.ts';
import type { Log } from '../../telemetry/log.ts';

const ROOT = fileURLToPath(new URL('../../..', import.meta.url));
/** What it is built from. */
const SOURCES = ['src/console', 'src/client', 'scripts/build-console.ts', 'tsconfig.json', 'package-lock.json'];
const BUILD_MS = 60_000;
/** What other versions have left in the cache is removed after this time. */
const OLD_MS = 86_400_000;

export interface ConsolePlace {
  /** Of the package or the clone; default: that of this code. */
  readonly root?: string;
  /** ANIMUS_HOME, for a clone that only others may write. */
  readonly home: string;
  readonly log: Log;
  readonly signal: AbortSignal;
}

/** The directory of the built console. Errors: `http.no_console` if it has to be built and cannot be. */
export async function builtConsole({ root = ROOT, home, log, signal }: ConsolePlace): Promise<string> {
  const ready = join(root, 'dist', 'console');
  if (!existsSync(join(root, 'src', 'console'))) {
    if (existsSync(ready)) return ready;
    throw new AnimusError('http.no_console', { detail: 'its files are missing; install animus again' });
  }
  const cache = await cacheDirectory(root, home);
  const built = join(cache, await fingerprint(root));
  if (existsSync(built)) return built;
  requireVite(root);
  const begunMs = performance.now();
  const making = await mkdtemp(join(cache, 'making-'));
  try {
    await build(root, making, signal);
    // Other users of the clone read it, too.
    await chmod(making, 0o755);
    await putThere(making, built);
  } finally {
    await rm(making, { recursive: true, force: true });
  }
  log.info({ directory: built, duration_ms: Math.round(performance.now() - begunMs) }, 'built the console');
  await removeOld(cache, built);
  return built;
}

/** In the clone, where all homes share it, if this process may write there. */
async function cacheDirectory(root: string, home: string): Promise<string> {
  const shared = join(root, 'node_modules', '.cache', 'animus-console');
  const own = join(home, 'console');
  for (const directory of [shared, own]) {
    const made = await mkdir(directory, { recursive: true }).then(
      () => true,
      () => false,
    );
    if (made && (await isWritable(directory))) return directory;
  }
  throw new AnimusError(
    'http.no_console',
    { detail: 'its files cannot be written; the log of the server says where' },
    { cause: new Error(own) },
  );
}

/** Root may write everywhere, but not to a file system that is read-only. */
async function isWritable(directory: string): Promise<boolean> {
  const probe = await mkdtemp(join(directory, 'making-')).catch(() => null);
  if (probe !== null) await rm(probe, { recursive: true, force: true });
  return probe !== null;
}

/** Differs where a source or a package does. */
async function fingerprint(root: string): Promise<string> {
  const hash = createHash('sha256');
  for (const source of SOURCES) {
    const path = join(root, source);
    const files = (await stat(path)).isDirectory() ? await filesIn(path) : [path];
    for (const file of files) hash.update(`${relative(root, file)}\0`).update(await readFile(file));
  }
  return hash.digest('hex').slice(0, 24);
}

async function filesIn(directory: string): Promise<readonly string[]> {
  const entries = await readdir(directory, { recursive: true, withFileTypes: true });
  return entries
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .toSorted();
}

/** It is a package for development, which `npm ci --omit=dev` leaves out. */
function requireVite(root: string): void {
  try {
    createRequire(join(root, 'package.json')).resolve('vite/package.json');
  } catch (error) {
    const detail =
      'it has to be built, and Vite is not installed; run in the directory of animus: npm ci --include=dev';
    throw new AnimusError('http.no_console', { detail }, { cause: error });
  }
}

/** In a process of its own, which needs nothing of this one's environment. */
async function build(root: string, directory: string, signal: AbortSignal): Promise<void> {
  const script = join(root, 'scripts', 'build-console.ts');
  const options = { cwd: root, env: {}, timeout: BUILD_MS, signal, windowsHide: true };
  try {
    await promisify(execFile)(process.execPath, [script, directory], options);
  } catch (error) {
    const detail = 'it could not be built; the log of the server says why';
    throw new AnimusError('http.no_console', { detail }, { cause: error });
  }
}

/** Another process may have put the same there meanwhile: then its directory stays as it is. */
async function putThere(making: string, built: string): Promise<void> {
  try {
    await rename(making, built);
  } catch (error) {
    if (!existsSync(built)) throw error;
  }
}

async function removeOld(cache: string, built: string): Promise<void> {
  for (const name of await readdir(cache)) {
    const directory = join(cache, name);
    const made = await stat(directory).catch(() => null);
    if (directory === built || made === null || made.mtimeMs > Date.now() - OLD_MS) continue;
    await rm(directory, { recursive: true, force: true });
  }
}
