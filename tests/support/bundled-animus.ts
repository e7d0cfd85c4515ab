/**
 * The programs of animus in few files instead of hundreds, made once per state of the sources, because tests start them thousands of times.
 * `node bundled-animus.ts` prints the launcher of all of it, for `npm run test:e2e`: a daemon takes 0.65 s of processor time to start from it
 * instead of 1.05.
 */
import { createHash } from 'node:crypto';
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
} from 'node:fs';
import { basename, dirname, join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { type Plugin, rolldown } from 'rolldown';
import type { Plugin as VitePlugin } from 'vitest/config';

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'src');
const PREPARED = join(SOURCE, 'store/embedded/prepared-database.ts');
const CACHE = join(ROOT, 'node_modules/.cache/animus-tests');
const DAY_MS = 86_400_000;
/** Packages of many modules that find no file by their own place. All others are imported as npm has installed them. */
const INCLUDED =
  /^(@hono|@opentelemetry\/api|commander|dom-serializer|domelementtype|domhandler|domutils|entities|eventsource-parser|hono|htmlparser2|minimatch|smol-toml|undici|yaml|zod)(\/|$)/;

/** What helper processes run, by its place in the bundle, as the modules that start it look for it. */
const HELPERS: Readonly<Record<string, string>> = {
  'supervisor/supervisor-main': 'process/supervisor/supervisor-main.ts',
  'keeper/keeper-main': 'sandbox/keeper/keeper-main.ts',
  'starters/schema-worker': 'schemas/schema-worker.ts',
};

if (import.meta.main) {
  const place = await bundled({ 'program/main': 'main.ts', ...HELPERS });
  process.stdout.write(`${join(place, 'src/animus.js')}\n`);
}

/**
 * Lets the modules that start helper processes in a test start them from a bundle. A helper has an empty environment, and so no compile cache:
 * a supervisor takes 0.08 s of processor time to start from it instead of 0.4.
 */
export function bundledHelpers(): VitePlugin {
  let place: Promise<string> | undefined;
  return {
    name: 'bundled-helpers',
    enforce: 'pre',
    // Vitest keeps what becomes of a module as long as the module is the same, and would start the bundle of an older state.
    configureVitest({ defineCacheKeyGenerator }) {
      defineCacheKeyGenerator(({ id, sourceCode }) => (startsHelpers(sourceCode, id) ? false : null));
    },
    async transform(code, id) {
      if (!startsHelpers(code, id)) return null;
      place ??= bundled(HELPERS);
      return inPlace(code, join(await place, 'dist/starters/module.js'));
    },
  };
}

/** Returns its directory, which has the layout of a package: the launcher in src/, the rest in dist/. */
async function bundled(programs: Readonly<Record<string, string>>): Promise<string> {
  const place = join(CACHE, `bundle-${fingerprint(programs)}`);
  if (existsSync(place)) return place;
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE).filter((each) => each.startsWith('bundle-'))) {
    const old = join(CACHE, name);
    // A run on the sources of a moment ago may still start it.
    if (statSync(old).mtimeMs < Date.now() - DAY_MS) rmSync(old, { recursive: true, force: true });
  }
  const making = mkdtempSync(join(CACHE, 'making-'));
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(programs).map(([name, file]) => [name, join(SOURCE, file)])),
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && !INCLUDED.test(id),
    plugins: [staysInPlace(join(place, 'dist'))],
  });
  await build.write({ dir: join(making, 'dist'), chunkFileNames: 'parts/[name]-[hash].js' });
  mkdirSync(join(making, 'src'));
  copyFileSync(join(SOURCE, 'animus.js'), join(making, 'src/animus.js'));
  for (const name of ['quick-answers.js', 'help.json']) copyFileSync(join(SOURCE, name), join(making, 'dist', name));
  copyFileSync(join(ROOT, 'package.json'), join(making, 'package.json'));
  try {
    renameSync(making, place);
  } catch (error) {
    // Another run made it meanwhile.
    if (!existsSync(place)) throw error;
    rmSync(making, { recursive: true });
  }
  return place;
}

/**
 * What a module finds by its own place stays where it is: migrations, faculties, and the programs of threads, which run from the sources.
 * A module that starts one of our helpers finds it in the bundle, `dist`.
 */
function staysInPlace(dist: string): Plugin {
  return {
    name: 'stays-in-place',
    transform(code, id) {
      if (!id.startsWith(SOURCE) || !code.includes('import.meta.')) return null;
      // It has no prepared database, whether somebody has built the package or not.
      if (id === PREPARED) return inPlace(code, join(dist, 'store/embedded/prepared-database.js'));
      return inPlace(code, startsHelpers(code, id) ? join(dist, 'starters/module.js') : id);
    },
  };
}

function startsHelpers(code: string, id: string): boolean {
  return id.startsWith(SOURCE) && Object.keys(HELPERS).some((name) => code.includes(`/${basename(name)}`));
}

/** The code of a module as if it were there. */
function inPlace(code: string, place: string): string {
  return code
    .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href))
    .replaceAll('import.meta.dirname', JSON.stringify(dirname(place)))
    .replaceAll('import.meta.filename', JSON.stringify(place));
}

function fingerprint(programs: Readonly<Record<string, string>>): string {
  const hash = createHash('sha256')
    .update(JSON.stringify(programs))
    .update(readFileSync(import.meta.filename));
  hash.update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const file of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    hash.update(`${path}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 16);
}
