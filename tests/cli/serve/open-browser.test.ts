import { chmodSync, existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { openBrowser } from '../../../src/cli/serve/open-browser.ts';

const ADDRESS = 'http://127.0.0.1:7717/#/login/animus_link_secret';

/** A directory with an `xdg-open` that writes down its arguments. */
function opener() {
  const directory = mkdtempSync(join(tmpdir(), 'animus-opener-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const program = join(directory, 'xdg-open');
  writeFileSync(
    program,
    `#!/bin/sh\nprintf '%s\\n' "$@" > ${directory}/being\nmv ${directory}/being ${directory}/opened\n`,
  );
  chmodSync(program, 0o755);
  return { directory, opened: join(directory, 'opened') };
}

test('a browser gets a file that only this user can read, and no program gets the secret as an argument', async () => {
  const { directory, opened } = opener();
  const env = { PATH: `${directory}:/usr/bin:/bin`, DISPLAY: ':0' };
  const browser = openBrowser(ADDRESS, { env, cwd: '/' }, 'linux')!;
  await expect.poll(() => existsSync(opened)).toBe(true);
  const page = readFileSync(opened, 'utf8').trim();
  expect(page).not.toContain('animus_link_secret');
  expect(readFileSync(page, 'utf8')).toContain(`content="0;url=${ADDRESS}"`);
  expect([statSync(page).mode & 0o777, statSync(dirname(page)).mode & 0o777]).toEqual([0o600, 0o700]);
  browser.close();
  expect(existsSync(dirname(page))).toBe(false);
});

test('without a screen or a program that opens pages, nothing is opened', () => {
  const { directory } = opener();
  const open = (env: Record<string, string>, platform: NodeJS.Platform = 'linux') =>
    openBrowser(ADDRESS, { env, cwd: '/' }, platform);
  expect(open({ PATH: directory })).toBe(null);
  expect(open({ PATH: '/nowhere', WAYLAND_DISPLAY: 'wayland-0' })).toBe(null);
  expect(open({ PATH: directory, DISPLAY: ':0' }, 'darwin')).toBe(null);
});
