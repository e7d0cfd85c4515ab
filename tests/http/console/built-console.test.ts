/** Where the console comes from: a package, or a build of a clone that everybody shares and nobody destroys. */
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  utimesSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { builtConsole } from '../../../src/http/console/built-console.ts';
import { readConsoleFiles } from '../../../src/http/console/console-files.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';

const never = new AbortController().signal;

/** Writes a page, and what it has seen of its environment. */
const BUILD = `import { appendFileSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
const [directory] = process.argv.slice(2);
mkdirSync(directory + '/assets', { recursive: true });
writeFileSync(directory + '/index.html', readFileSync('src/console/main.tsx'));
writeFileSync(directory + '/assets/app-1.js', 'x');
appendFileSync('builds', Object.keys(process.env).join() + '\\n');
`;

function clone(files: Readonly<Record<string, string>> = {}) {
  const root = mkdtempSync(join(tmpdir(), 'animus-clone-'));
  onTestFinished(() => rmSync(root, { recursive: true, force: true }));
  const all = {
    'package.json': '{}',
    'package-lock.json': '{}',
    'tsconfig.json': '{}',
    'src/console/main.tsx': 'one',
    'src/client/client.ts': '',
    'scripts/build-console.ts': BUILD,
    'node_modules/vite/package.json': '{}',
    ...files,
  };
  for (const [name, text] of Object.entries(all)) {
    mkdirSync(dirname(join(root, name)), { recursive: true });
    writeFileSync(join(root, name), text);
  }
  const cache = join(root, 'node_modules/.cache/animus-console');
  const home = join(root, 'home');
  return {
    root,
    cache,
    home,
    find: (signal = never) => builtConsole({ root, home, log: silentLog, signal }),
    builds: () =>
      existsSync(join(root, 'builds')) ? readFileSync(join(root, 'builds'), 'utf8').split('\n').length - 1 : 0,
  };
}

const page = (directory: string) => readFileSync(join(directory, 'index.html'), 'utf8');

test('a clone builds it once per state of its sources, in a process without secrets', async () => {
  process.env['ANIMUS_TEST_SECRET'] = 'x';
  onTestFinished(() => void delete process.env['ANIMUS_TEST_SECRET']);
  const { root, cache, find, builds } = clone();
  const first = await find();
  expect([dirname(first), page(first)]).toEqual([cache, 'one']);
  expect(await find()).toBe(first);
  expect(builds()).toBe(1);
  expect(readFileSync(join(root, 'builds'), 'utf8')).not.toMatch(/SECRET|DATABASE|PATH/);
  for (const name of ['src/console/main.tsx', 'src/client/client.ts', 'tsconfig.json', 'package-lock.json']) {
    const before = await find();
    writeFileSync(join(root, name), `changed ${name}`);
    expect(await find()).not.toBe(before);
  }
  expect(builds()).toBe(5);
  expect(readdirSync(cache)).toHaveLength(5);
});

test('processes that build at the same time all get a whole one, and leave nothing else', async () => {
  const { cache, find } = clone();
  const found = await Promise.all(Array.from({ length: 4 }, () => find()));
  expect(new Set(found).size).toBe(1);
  expect((await readConsoleFiles(found[0]!)).size).toBe(2);
  expect(readdirSync(cache)).toHaveLength(1);
});

test('what earlier versions have left is removed after a day', async () => {
  const { cache, root, find } = clone();
  const old = await find();
  mkdirSync(join(cache, 'making-killed'));
  const yesterday = Date.now() / 1000 - 90_000;
  for (const directory of [old, join(cache, 'making-killed')]) utimesSync(directory, yesterday, yesterday);
  writeFileSync(join(root, 'src/console/main.tsx'), 'two');
  const now = await find();
  expect(readdirSync(cache).map((name) => join(cache, name))).toEqual([now]);
});

test('where the clone belongs to somebody else, it is built into the home', async () => {
  const { home, find } = clone({ 'node_modules/.cache': 'no directory' });
  expect(dirname(await find())).toBe(join(home, 'console'));
});

test('without Vite, and after a failed build, the error says what to do, and nothing is left', async () => {
  const bare = clone();
  rmSync(join(bare.root, 'node_modules/vite'), { recursive: true });
  await expect(bare.find()).rejects.toThrow(/npm ci --include=dev/);
  const broken = clone({ 'scripts/build-console.ts': `throw new Error('a mistake')` });
  await expect(broken.find()).rejects.toMatchObject({
    code: 'http.no_console',
    message: expect.not.stringContaining('a mistake'),
    cause: expect.objectContaining({ message: expect.stringContaining('a mistake') }),
  });
  expect(readdirSync(broken.cache)).toEqual([]);
});

test('a build ends with the server', async () => {
  const { cache, find } = clone({ 'scripts/build-console.ts': 'setTimeout(() => {}, 60_000)' });
  const stop = new AbortController();
  const building = find(stop.signal);
  await expect.poll(() => existsSync(cache) && readdirSync(cache)).toHaveLength(1);
  stop.abort();
  await expect(building).rejects.toMatchObject({ code: 'http.no_console' });
  expect(readdirSync(cache)).toEqual([]);
});

test('a package has it ready', async () => {
  const { root, find, builds } = clone({ 'dist/console/index.html': 'built' });
  expect(page(await find())).toBe('one');
  rmSync(join(root, 'src/console'), { recursive: true });
  expect(await find()).toBe(join(root, 'dist/console'));
  expect(builds()).toBe(1);
  rmSync(join(root, 'dist'), { recursive: true });
  await expect(find()).rejects.toThrow('install animus again');
});

test('the console of this clone is built without anything of its surroundings, and has no inline script or style', async () => {
  const home = mkdtempSync(join(tmpdir(), 'animus-home-'));
  onTestFinished(() => rmSync(home, { recursive: true, force: true }));
  const files = await readConsoleFiles(await builtConsole({ home, log: silentLog, signal: never }));
  const html = (await files.get('/')!.content('identity')).toString();
  expect(html).not.toMatch(/<script(?![^>]*\bsrc=)|<style|\son\w+=|javascript:/i);
  const named = [...html.matchAll(/(?:src|href)="\.([^"]+)"/g)].map(([, path]) => path!);
  expect(named.length).toBeGreaterThan(0);
  expect(named.filter((path) => !files.has(path))).toEqual([]);
});
