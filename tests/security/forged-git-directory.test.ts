/** Promise: whatever an agent writes into the `.git` of its worktree, neither the daemon's git nor a person's runs a program of it, and nothing hangs. */
import { execFileSync } from 'node:child_process';
import { existsSync, lstatSync, mkdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { close, git, open, recordOf, setUpWorktree, type WorktreeSite } from '../support/worktree.ts';

const placeOf = (root: string) => readFileSync(join(root, 'worktrees', '.place'), 'utf8').trim();

/** What an agent can write there; `trap` is a program that leaves a mark. */
const FORGERIES: Readonly<Record<string, (dotGit: string, trap: string, site: WorktreeSite) => void>> = {
  'programs in its configuration': (dotGit, trap) => {
    for (const key of [
      'core.fsmonitor',
      'core.sshCommand',
      'core.pager',
      'diff.external',
      'filter.f.clean',
      'alias.status',
    ])
      git(dotGit, 'config', '--file', join(dotGit, 'config'), key, key.startsWith('alias') ? `!${trap}` : trap);
    writeFileSync(join(dotGit, '..', '.gitattributes'), '* filter=f\n');
  },
  'another configuration that is included': (dotGit, trap) => {
    writeFileSync(join(dotGit, 'more'), `[core]\n\tfsmonitor = ${trap}\n`);
    writeFileSync(join(dotGit, 'config'), `[include]\n\tpath = ${dotGit}/more\n`);
  },
  'a configuration of worktrees': (dotGit, trap) => {
    writeFileSync(join(dotGit, 'config'), '[extensions]\n\tworktreeConfig = true\n');
    writeFileSync(join(dotGit, 'config.worktree'), `[core]\n\tfsmonitor = ${trap}\n`);
  },
  'a configuration that cannot be parsed': (dotGit) => writeFileSync(join(dotGit, 'config'), '[[[\n'),
  'hooks, and a path of hooks': (dotGit, trap) => {
    mkdirSync(join(dotGit, 'hooks'), { recursive: true });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change', 'pre-commit'])
      writeFileSync(join(dotGit, 'hooks', hook), `#!/bin/sh\nexec ${trap}\n`, { mode: 0o755 });
    git(dotGit, 'config', '--file', join(dotGit, 'config'), 'core.hooksPath', join(dotGit, 'hooks'));
  },
  'the directory of another repository': (dotGit, trap, { root }) => {
    git(root, 'init', '-q', 'evil');
    git(join(root, 'evil'), 'config', 'core.fsmonitor', trap);
    writeFileSync(join(dotGit, 'commondir'), join(root, 'evil', '.git'));
  },
  'a program that fetches': (dotGit, trap, { root }) => {
    for (const [key, value] of [
      ['extensions.partialClone', 'o'],
      ['remote.o.url', root],
      ['remote.o.promisor', 'true'],
      ['remote.o.uploadpack', trap],
      ['uploadpack.packObjectsHook', trap],
    ] as const)
      git(dotGit, 'config', '--file', join(dotGit, 'config'), key, value);
  },
  'pipes, devices and links in place of files': (dotGit) => {
    for (const name of ['index', 'ORIG_HEAD', 'refs/heads/pipe', 'packed-refs.lock'])
      rmSync(join(dotGit, name), { force: true });
    execFileSync('mkfifo', [join(dotGit, 'index'), join(dotGit, 'ORIG_HEAD'), join(dotGit, 'refs/heads/pipe')]);
    rmSync(join(dotGit, 'config'));
    symlinkSync('/dev/zero', join(dotGit, 'config'));
    symlinkSync('/etc/hostname', join(dotGit, 'packed-refs.lock'));
  },
};

test.each(Object.entries(FORGERIES))(
  '%s: no program runs, and the files are handed over',
  { timeout: 120_000 },
  async (_, forge) => {
    const site = await setUpWorktree();
    const { spec, means, repo, root } = site;
    const trap = join(root, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\necho "$0 $*" >> ${root}/sprung\n`, { mode: 0o755 });
    const wanted = spec();
    const worktree = await open(wanted, means);
    writeFileSync(join(worktree.path, 'new.txt'), 'new\n');
    forge(join(worktree.path, '.git'), trap, site);
    const again = await open({ ...wanted, recorded: recordOf(worktree, placeOf(root)) }, means);
    expect(again).toMatchObject({ made: 'kept', path: worktree.path });
    forge(join(worktree.path, '.git'), trap, site);
    const closed = await close(again, means);
    expect(closed.files).toContain('new.txt');
    expect(git(repo, 'cat-file', '-t', `${worktree.names.handed}rest`)).toBe('commit');
    // As a person would look afterwards.
    git(worktree.path, 'status');
    git(worktree.path, 'log', '-1');
    expect(existsSync(join(root, 'sprung'))).toBe(false);
  },
);

test.each([
  ['a named pipe', (path: string) => void execFileSync('mkfifo', [path])],
  ['a link to /dev/zero', (path: string) => symlinkSync('/dev/zero', path)],
  ['a link to another repository', (path: string, repo: string) => symlinkSync(join(repo, '.git'), path)],
  [
    'a file that names another repository',
    (path: string, repo: string) => writeFileSync(path, `gitdir: ${repo}/.git\n`),
  ],
  ['a directory without a repository', (path: string) => mkdirSync(join(path, 'deep'), { recursive: true })],
  ['gone', () => {}],
])('a .git that is %s is made again, and the files are kept', { timeout: 60_000 }, async (_, plant) => {
  const { spec, means, repo, root } = await setUpWorktree();
  const wanted = spec();
  const { path, ...worktree } = await open(wanted, means);
  writeFileSync(join(path, 'a.txt'), 'changed\n');
  rmSync(join(path, '.git'), { recursive: true });
  plant(join(path, '.git'), repo);
  const before = git(repo, 'for-each-ref');
  const again = await open({ ...wanted, recorded: recordOf({ path, ...worktree }, placeOf(root)) }, means);
  expect(again.made).toBe('damaged');
  expect(git(repo, 'for-each-ref')).toBe(before);
  expect(await close(again, means)).toMatchObject({ files: ['a.txt'] });
  expect(lstatSync(join(path, '.git')).isDirectory()).toBe(true);
});

test('a worktree that was replaced by a link is not touched', { timeout: 60_000 }, async () => {
  const { spec, means, root, repo } = await setUpWorktree();
  const worktree = await open(spec(), means);
  rmSync(worktree.path, { recursive: true });
  symlinkSync(repo, worktree.path);
  const config = readFileSync(join(repo, '.git', 'config'), 'utf8');
  await expect(close(worktree, means)).rejects.toMatchObject({ code: 'worktree.failed' });
  await expect(open({ ...worktree.spec, recorded: recordOf(worktree, placeOf(root)) }, means)).rejects.toMatchObject({
    code: 'worktree.failed',
  });
  expect(readFileSync(join(repo, '.git', 'config'), 'utf8')).toBe(config);
});
