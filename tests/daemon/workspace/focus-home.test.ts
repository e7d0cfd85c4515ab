/** Promise: a focus gets a home that its commands can write, and caches that only foci of its faculty share. */
import { spawnSync } from 'node:child_process';
import {
  chmodSync,
  chownSync,
  existsSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readlinkSync,
  realpathSync,
  statSync,
  writeFileSync,
} from 'node:fs';
import { dirname, join } from 'node:path';
import { describe, expect, test } from 'vitest';
import type { Faculty } from '../../../src/catalog/faculty/faculty.ts';
import { focusHome, type HomePlace } from '../../../src/daemon/workspace/focus-home.ts';
import { silentLog } from '../../../src/telemetry/silent-log.ts';
import { isolationModes } from '../../process/isolation-modes.ts';
import { scratch } from '../../security/commands.ts';

const hasUsers = (await isolationModes()).includes('uid');
const FOCUS = '0197a000-0000-7000-8000-00000000002a';

test('it is made once, private, beside the focus directories, and removed with all that is in it', async () => {
  const { home, root } = setUp();
  expect(home.paths()).toEqual([join(root, 'homes', FOCUS)]);
  const [first, second] = await Promise.all([home.open(), home.open()]);
  expect(first).toEqual({ directory: join(root, 'homes', FOCUS), caches: {} });
  expect(second).toBe(first);
  expect(statSync(first.directory).mode & 0o777).toBe(0o700);
  mkdirSync(join(first.directory, 'deep'));
  await home.remove();
  expect(readdirSync(join(root, 'homes'))).toEqual([]);
});

test('a later run of the focus finds it, and removes it without having used it', async () => {
  const site = setUp();
  const { directory } = await site.home.open();
  writeFileSync(join(directory, '.profile'), 'mine');
  const again = site.again({ goesOn: true });
  expect(existsSync(join((await again.open()).directory, '.profile'))).toBe(true);
  await site.again({ goesOn: true }).remove();
  expect(existsSync(directory)).toBe(false);
});

test('foci of a faculty share its caches by the variables of each manager; those of another faculty are elsewhere', async () => {
  const { home, again, root } = setUp({ caches: ['npm', 'go', 'cargo', 'uv'] });
  const { caches, directory } = await home.open();
  const at = (...names: string[]) => join(root, 'caches/smith', ...names);
  expect(caches).toEqual({
    npm_config_cache: at('npm'),
    GOMODCACHE: at('go/mod'),
    GOCACHE: at('go/build'),
    GOFLAGS: '-modcacherw',
    CARGO_HOME: join(directory, '.cargo'),
    UV_CACHE_DIR: at('uv'),
    UV_LINK_MODE: 'copy',
  });
  expect(home.paths()).toEqual([directory, at('npm'), at('go'), at('cargo'), at('uv')]);
  // Credentials and programs of cargo stay in the home.
  expect(readlinkSync(join(directory, '.cargo/registry'))).toBe(at('cargo/registry'));
  expect(lstatSync(at('cargo/registry')).isDirectory()).toBe(true);
  const other = await again({ directory: join(root, 'foci', 'another'), faculty: faculty({ caches: ['npm'] }) }).open();
  expect(other.caches['npm_config_cache']).toBe(at('npm'));
  const stranger = again({
    directory: join(root, 'foci', 'third'),
    faculty: faculty({ name: 'ada', caches: ['npm'] }),
  });
  expect((await stranger.open()).caches['npm_config_cache']).toBe(join(root, 'caches/ada/npm'));
  await home.remove();
  expect(readdirSync(at())).toEqual(['cargo', 'go', 'npm', 'uv']);
});

test.skipIf(process.getuid?.() !== 0)(
  'what Go keeps read-only is removed, too, by a daemon that is not root',
  async () => {
    const root = scratch();
    chmodSync(root, 0o777);
    const code = `
    import { chmodSync, existsSync, mkdirSync, writeFileSync } from 'node:fs';
    import { removeDirectory } from ${JSON.stringify(new URL('../../../src/process/remove-directory.ts', import.meta.url).href)};
    const top = ${JSON.stringify(join(root, 'home'))};
    mkdirSync(top + '/go/pkg/mod/m@v1', { recursive: true });
    writeFileSync(top + '/go/pkg/mod/m@v1/m.go', 'package m');
    for (const path of ['/go/pkg/mod/m@v1', '/go/pkg/mod']) chmodSync(top + path, 0o555);
    await removeDirectory(top);
    await removeDirectory(top);
    console.log(existsSync(top));`;
    const ran = spawnSync(process.execPath, ['--input-type=module', '-e', code], {
      uid: 12_345,
      encoding: 'utf8',
      cwd: '/',
    });
    expect(ran.stdout + ran.stderr).toBe('false\n');
  },
);

describe.skipIf(!hasUsers)('with commands that run as another user', () => {
  test('the home belongs to the owner of the workspace, and so do the caches', async () => {
    const site = setUp();
    const workspace = join(site.root, 'workspace');
    mkdirSync(workspace);
    chownSync(workspace, 12_345, 12_345);
    const place = { isolation: 'uid', faculty: faculty({ workspace, caches: ['npm', 'cargo'] }) } as const;
    const { directory, caches } = await site.again(place).open();
    const npm = caches['npm_config_cache']!;
    for (const path of [directory, npm, join(directory, '.cargo'), join(dirname(npm), 'cargo/registry')])
      expect([path, lstatSync(path).uid]).toEqual([path, 12_345]);
    const asOwner = spawnSync('sh', ['-c', `touch ${directory}/x ${npm}/x; ls ${dirname(directory)} ${dirname(npm)}`], {
      uid: 12_345,
      gid: 12_345,
      encoding: 'utf8',
    });
    expect(asOwner.stderr.match(/ermission denied/g)).toHaveLength(2);
    expect([existsSync(join(directory, 'x')), existsSync(join(npm, 'x'))]).toEqual([true, true]);
  });

  test('a focus with a user of its own has a home and no shared caches', async () => {
    const { again } = setUp();
    const home = again({ isolation: 'uid', faculty: faculty({ caches: ['npm'] }) });
    const { directory, caches } = await home.open();
    // The first that nothing on this host has.
    const { uid } = statSync(directory);
    expect(uid).toBeGreaterThanOrEqual(1_900_000_042);
    expect(caches).toEqual({});
    await home.remove();
    expect(existsSync(`/run/animus-users/${uid}`)).toBe(false);
  });

  test('a home of another user is made anew, and a cache of another user is left alone and named', async () => {
    const site = setUp({ caches: ['npm'] });
    const { directory, caches } = await site.home.open();
    writeFileSync(join(directory, 'old'), '');
    chownSync(directory, 4711, 4711);
    chownSync(caches['npm_config_cache']!, 4711, 4711);
    const lines: object[] = [];
    const log = { ...silentLog, warn: (fields: object) => void lines.push(fields) };
    const later = await site.again({ goesOn: true, log, faculty: faculty({ caches: ['npm'] }) }).open();
    expect(later).toEqual({ directory, caches: {} });
    expect([readdirSync(directory), statSync(directory).uid]).toEqual([[], 0]);
    expect(lines).toEqual([{ directory: caches['npm_config_cache'], owner: 4711, user: 0 }]);
  });
});

function faculty(given: Partial<Faculty> = {}): Faculty {
  return { name: 'smith', workspace: null, repo: null, caches: [], ...given } as Faculty;
}

function setUp(given: Partial<Faculty> = {}) {
  const root = realpathSync(scratch());
  chmodSync(root, 0o755);
  const place: HomePlace = {
    directory: join(root, 'foci', FOCUS),
    faculty: faculty(given),
    isolation: 'none',
    goesOn: false,
    log: silentLog,
  };
  return { root, home: focusHome(place), again: (more: Partial<HomePlace>) => focusHome({ ...place, ...more }) };
}
