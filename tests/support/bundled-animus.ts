/**
 * `node bundled-animus.ts`: prints the launcher of an animus whose modules are one file, for `npm run test:e2e`, which starts hundreds of
 * daemons and commands. Made once per state of the sources. A daemon takes 0.65 s of processor time to start from it instead of 1.05.
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

const ROOT = resolve(import.meta.dirname, '../..');
const SOURCE = join(ROOT, 'src');
const CACHE = join(ROOT, 'node_modules/.cache/animus-tests');
const DAY_MS = 86_400_000;
/** Packages of many modules that find no file by their own place. All others are imported as npm has installed them. */
const INCLUDED = /^(commander|hono|yaml|zod)(\/|$)/;

/** What other processes of animus run, by its place in the bundle, as the modules that start it look for it. */
const PROGRAMS: Readonly<Record<string, string>> = {
  main: 'main.ts',
  'supervisor/supervisor-main': 'process/supervisor/supervisor-main.ts',
  'keeper/keeper-main': 'sandbox/keeper/keeper-main.ts',
  'starters/schema-worker': 'schemas/schema-worker.ts',
};

process.stdout.write(`${join(await bundledAnimus(), 'src/animus.js')}\n`);

/** It has the layout of a package: the launcher in src/, the rest in dist/. */
async function bundledAnimus(): Promise<string> {
  const place = join(CACHE, `bundle-${fingerprint()}`);
  if (existsSync(place)) return place;
  mkdirSync(CACHE, { recursive: true });
  for (const name of readdirSync(CACHE).filter((each) => each.startsWith('bundle-'))) {
    const old = join(CACHE, name);
    // A run on the sources of a moment ago may still start it.
    if (statSync(old).mtimeMs < Date.now() - DAY_MS) rmSync(old, { recursive: true, force: true });
  }
  const making = mkdtempSync(join(CACHE, 'making-'));
  const build = await rolldown({
    input: Object.fromEntries(Object.entries(PROGRAMS).map(([name, file]) => [name, join(SOURCE, file)])),
    platform: 'node',
    external: (id) => !/^[./]/.test(id) && !INCLUDED.test(id),
    plugins: [staysInPlace(join(place, 'dist'))],
  });
  await build.write({ dir: join(making, 'dist'), chunkFileNames: 'parts/[name]-[hash].js' });
  mkdirSync(join(making, 'src'));
  copyFileSync(join(SOURCE, 'animus.js'), join(making, 'src/animus.js'));
  for (const name of ['quick-answers.js', 'help.json']) copyFileSync(join(SOURCE, name), join(making, 'dist', name));
  copyFileSync(join(ROOT, 'package.json'), join(making, 'package.json'));
  renameSync(making, place);
  return place;
}

/**
 * What a module finds by its own place stays where it is: migrations, faculties, and the programs of threads, which run from the sources.
 * A module that starts one of our programs finds it in the bundle, `dist`.
 */
function staysInPlace(dist: string): Plugin {
  return {
    name: 'stays-in-place',
    transform(code, id) {
      if (!id.startsWith(SOURCE) || !code.includes('import.meta.')) return null;
      const starts = Object.keys(PROGRAMS).some((name) => name !== 'main' && code.includes(`/${basename(name)}`));
      const place = starts ? join(dist, 'starters/module.js') : id;
      return code
        .replaceAll('import.meta.url', JSON.stringify(pathToFileURL(place).href))
        .replaceAll('import.meta.dirname', JSON.stringify(dirname(place)))
        .replaceAll('import.meta.filename', JSON.stringify(place));
    },
  };
}

function fingerprint(): string {
  const hash = createHash('sha256').update(readFileSync(import.meta.filename));
  hash.update(readFileSync(join(ROOT, 'package-lock.json')));
  for (const file of readdirSync(SOURCE, { recursive: true, withFileTypes: true })) {
    if (!file.isFile()) continue;
    const path = join(file.parentPath, file.name);
    hash.update(`${path}\0`).update(readFileSync(path));
  }
  return hash.digest('hex').slice(0, 16);
}
