/** Promise: HOME of an agent's commands is a private directory of the focus, outside of every workspace, made when a command needs it. */
import { execFileSync } from 'node:child_process';
import { chmodSync, existsSync, mkdtempSync, readdirSync, realpathSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, onTestFinished, test } from 'vitest';
import { isolationModes } from '../../process/isolation-modes.ts';
import { bash, type Call, type Site, startSite } from '../../security/scripted-focus.ts';
import { testDatabase } from '../../support/database.ts';
import { eventually } from '../../support/eventually.ts';
import { commit, git } from '../../support/worktree.ts';

const target = testDatabase();
const modes = await isolationModes();

/** Real npm, which writes a log and a cache below HOME. */
const NPM = bash('npm pack --dry-run --silent; ls -A "$HOME"; ls "$HOME/.npm/_logs" | grep -c log');
const WAIT: Call = ['wait_until', { seconds: 3600, reason: 'somebody else' }];

describe.each(modes)('with isolation %s', (isolation) => {
  test('what npm writes to HOME is neither in the worktree nor among its changes', async () => {
    const repo = packageRepository(isolation);
    const look = bash('echo x > new.txt; git status --short --ignored; stat -c "%a $HOME" "$HOME"');
    const site = await start(isolation, [NPM, look], `isolation = "worktree"\nrepo = "${repo}"`);
    const { outputs, state } = await site.run();
    expect(state).toBe('completed');
    expect(outputs[0]).toMatch(/^exit code 0\nstdout:\nlittle-1\.0\.0\.tgz\n\.npm\n[1-9]/);
    const [focus] = await site.db.query<{ id: string }>(
      'select f.id from animus.foci f join animus.work_items w on w.id = f.work_item_id where w.faculty = $1',
      [site.faculty],
    );
    const home = join(homes(site), focus!.id);
    expect(outputs[1]).toBe(`exit code 0\nstdout:\n?? new.txt\n700 ${home}`);
    const [item] = await site.db.query<{ outcome: { worktree: { path: string; changed_files: unknown } } }>(
      'select outcome from animus.work_items where faculty = $1',
      [site.faculty],
    );
    expect(JSON.stringify(item!.outcome.worktree.changed_files)).not.toContain('npm');
    expect(item!.outcome.worktree.changed_files).toHaveLength(1);
    // The worktree is kept, the home is not.
    await eventually('the home is removed', () => (existsSync(home) ? null : true));
    expect(existsSync(join(item!.outcome.worktree.path, 'new.txt'))).toBe(true);
  });

  test('what npm writes to HOME is not in the repository that is the workspace', async () => {
    const repo = packageRepository(isolation);
    const site = await start(isolation, [NPM], `workspace = "${repo}"`);
    const { outputs } = await site.run();
    expect(outputs[0]).toMatch(/\n\.npm\n[1-9]/);
    expect(readdirSync(repo).toSorted()).toEqual(['.git', 'package.json']);
  });

  test('HOME is outside of a workspace that is the focus’s own directory, and closed to file tools', async () => {
    const site = await start(
      isolation,
      [
        bash('echo secret > ~/.netrc; ls -A; case "$HOME" in "$PWD"*) echo inside;; esac; cp ~/.netrc copied'),
        ['read_file', { path: 'copied' }],
        ['glob', { pattern: '**/*' }],
        ['read_file', { path: '../../homes' }],
      ],
      'isolation = "directory"',
    );
    const { outputs } = await site.run();
    expect(outputs[0]).toBe('exit code 0');
    expect(outputs[1]).toContain('secret');
    expect(outputs[2]).not.toContain('.netrc');
    expect(outputs[3]).toContain('outside the workspace');
  });

  test('a focus finds its home again when it goes on, and another focus cannot look into it', async () => {
    const first = bash('mkdir -p ~/.config && echo kept > ~/.config/mine; chmod 500 ~/.config');
    const then = bash('cat ~/.config/mine; ls "$(dirname "$HOME")" | wc -l');
    const site = await start(isolation, [first, WAIT, then], 'isolation = "directory"');
    const [a, b] = [await site.submit(), await site.submit()];
    for (const id of [a, b]) await site.until(id, 'waiting');
    expect(readdirSync(homes(site))).toHaveLength(2);
    await site.db.query('update animus.waits set deadline = animus.now() where work_item_id = $1', [a]);
    const { outputs } = await site.until(a, 'completed');
    expect(outputs[2]).toMatch(
      { none: /\nkept\n2$/, uid: /\nkept\n0\nstderr:.*denied$/s, namespace: /\nkept\n1$/ }[isolation],
    );
    await eventually('only the other’s home is left', () => (readdirSync(homes(site)).length === 1 ? true : null));
    await site.db.query('update animus.waits set deadline = animus.now() where work_item_id = $1', [b]);
    await site.until(b, 'completed');
    await eventually('no home is left', () => (readdirSync(homes(site)).length === 0 ? true : null));
  });
});

test('a focus that starts no process never has a home', async () => {
  const site = await start('none', [['write_file', { path: 'a', content: 'a' }], WAIT], 'isolation = "directory"');
  await site.until(await site.submit(), 'waiting');
  expect(existsSync(homes(site))).toBe(false);
});

const homes = ({ directory }: Site) => join(directory, 'home/homes');

/** A package in a repository; with `uid`, it belongs to a user who is not root. */
function packageRepository(isolation: string): string {
  const repo = realpathSync(mkdtempSync(join(tmpdir(), 'animus-package-')));
  onTestFinished(() => rmSync(repo, { recursive: true, force: true }));
  git(repo, 'init', '-q', '-b', 'main');
  writeFileSync(join(repo, 'package.json'), '{"name": "little", "version": "1.0.0"}\n');
  git(repo, 'add', '.');
  commit(repo, 'first');
  if (isolation === 'uid') execFileSync('chown', ['-R', '12345:12345', repo]);
  return repo;
}

async function start(isolation: string, calls: readonly Call[], faculty: string): Promise<Site> {
  const site = await startSite(target, {
    calls,
    faculty: `permissions.bash = "auto"\n${faculty}`,
    engage: `bash_isolation = "${isolation}"\n`,
  });
  // Like /srv or /var/lib; a temporary directory is private.
  chmodSync(site.directory, 0o755);
  return site;
}
