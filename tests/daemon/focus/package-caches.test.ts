/** Promise: with `caches`, all foci of a faculty use one cache of a package manager, in every isolation, and foci of other faculties do not. */
import {
  chmodSync,
  chownSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  realpathSync,
  rmSync,
  writeFileSync,
} from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isolationModes } from '../../process/isolation-modes.ts';
import { bash, startSite } from '../../security/scripted-focus.ts';
import { testDatabase } from '../../support/database.ts';

const target = testDatabase();
const modes = await isolationModes();

describe.each(modes)('with isolation %s', (isolation) => {
  test('what npm has put into the cache for one item is there for the next', async () => {
    const workspace = realpathSync(mkdtempSync(join(tmpdir(), 'animus-package-')));
    onTestFinished(() => rmSync(workspace, { recursive: true, force: true }));
    writeFileSync(join(workspace, 'package.json'), '{"name": "little", "version": "1.0.0"}\n');
    if (isolation === 'uid') chownSync(workspace, 12_345, 12_345);
    const site = await startSite(target, {
      calls: [
        bash('npm cache ls --silent | grep -c little'),
        bash('cd "$HOME" && npm pack --silent "$OLDPWD" && npm cache add --silent little-1.0.0.tgz; ls -A'),
        bash('ls "$(dirname "$(dirname "$npm_config_cache")")"'),
      ],
      faculty: `permissions.bash = "auto"\nworkspace = "${workspace}"\ncaches = ["npm"]`,
      engage: `bash_isolation = "${isolation}"\n`,
    });
    chmodSync(site.directory, 0o755);
    // Of another faculty.
    site.daemon.write('home/caches/another/npm/x', '');
    chmodSync(join(site.directory, 'home/caches'), 0o700);
    const first = await site.run();
    expect(first.outputs[0]).toBe('exit code 1\nstdout:\n0');
    expect(first.outputs[1]).toBe('exit code 0\nstdout:\nlittle-1.0.0.tgz\nlittle-1.0.0.tgz');
    const seen = { none: /\nanother\n/, uid: /denied$/, namespace: new RegExp(`stdout:\n${site.faculty}$`) };
    expect(first.outputs[2]).toMatch(seen[isolation]);
    const second = await site.run();
    expect(second.outputs[0]).toMatch(/^exit code 0\nstdout:\n[1-9]$/);
    expect(readdirSync(workspace)).toEqual(['package.json']);
  });
});

test('the command of mode "external" gets the caches; other hooks do not, and all keep the HOME of the daemon', async () => {
  const script = (answer: string) =>
    `#!/bin/sh\necho "$HOME $npm_config_cache" > "$(dirname "$0")/$ANIMUS_PHASE.txt"\necho '${answer}'\n`;
  const site = await startSite(target, {
    calls: [],
    faculty: 'isolation = "directory"\ncaches = ["npm"]\norient.command = "../orient.sh"',
    replaceEngage: 'mode = "external"\ncommand = "../engage.sh"\nbash_isolation = "none"\n',
    files: { 'orient.sh': script('{}'), 'engage.sh': script('{"outcome": {}}') },
  });
  expect(await site.run()).toMatchObject({ state: 'completed', error: null });
  const read = (phase: string) => readFileSync(join(site.directory, `${phase}.txt`), 'utf8').trim();
  const home = process.env['HOME'] ?? '';
  expect(read('orient')).toBe(home);
  expect(read('engage')).toBe(`${home} ${site.directory}/home/caches/${site.faculty}/npm`);
});
