import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { describe, expect, it } from 'vitest';
import { closeWorktree, openWorktree } from '../../src/daemon/workspace/worktree.ts';
import { commit, git, setUpWorktree } from '../support/worktree.ts';

// Each test starts many processes, and on a busy host it takes time to detect that all of them are gone.
describe('a worktree', { timeout: 180_000 }, () => {
  it('is created on its own branch from HEAD, and removed with its branch if nothing changed', async () => {
    const { spec, means, repo } = await setUpWorktree();
    const worktree = await openWorktree(spec, means);
    expect(worktree).toMatchObject({ made: 'new', base: git(repo, 'rev-parse', 'HEAD'), repoIsDirty: false });
    expect(git(worktree.path, 'branch', '--show-current')).toBe('animus/abc');
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');

    expect(await closeWorktree(worktree, means)).toEqual({
      branch: 'animus/abc',
      commits: 0,
      changedFiles: [],
      moreFiles: 0,
    });
    expect(existsSync(worktree.path)).toBe(false);
    expect(git(repo, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });

  it('is kept if it has commits, changes or new files, and lists them all', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await openWorktree(spec, means);
    writeFileSync(join(worktree.path, 'Grüße 世界\n.txt'), 'new');
    git(worktree.path, 'add', '.');
    commit(worktree.path, 'one');
    writeFileSync(join(worktree.path, 'a.txt'), 'changed');
    writeFileSync(join(worktree.path, 'untracked'), '');
    writeFileSync(join(worktree.path, 'ignored.log'), '');
    expect(await closeWorktree(worktree, means)).toEqual({
      branch: 'animus/abc',
      commits: 1,
      changedFiles: ['Grüße 世界\n.txt', 'a.txt', 'untracked'].toSorted(),
      moreFiles: 0,
    });
    expect(existsSync(worktree.path)).toBe(true);
  });

  it('counts commits even if the agent left its branch or deleted it', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await openWorktree(spec, means);
    git(worktree.path, 'checkout', '-q', '--detach');
    git(worktree.path, 'branch', '-D', 'animus/abc');
    commit(worktree.path, 'away');
    expect(await closeWorktree(worktree, means)).toMatchObject({ commits: 1 });
  });

  it('is found again with everything in it after a crash, even with a stale lock', async () => {
    const { spec, means } = await setUpWorktree();
    const first = await openWorktree(spec, means);
    writeFileSync(join(first.path, 'a.txt'), 'half done');
    writeFileSync(join(git(first.path, 'rev-parse', '--absolute-git-dir'), 'index.lock'), '');
    const again = await openWorktree(spec, means);
    expect(again).toMatchObject({ made: 'kept', base: first.base });
    expect(readFileSync(join(again.path, 'a.txt'), 'utf8')).toBe('half done');
    expect(await closeWorktree(again, means)).toMatchObject({ changedFiles: ['a.txt'] });
  });

  it('is created again from its branch if the directory is gone, with everything that was committed', async () => {
    const { spec, means, root } = await setUpWorktree();
    const first = await openWorktree(spec, means);
    writeFileSync(join(first.path, 'kept.txt'), 'kept');
    git(first.path, 'add', '.');
    commit(first.path, 'kept');
    writeFileSync(join(first.path, 'lost.txt'), 'lost');
    const elsewhere = join(root, 'other-host');
    mkdirSync(elsewhere);
    const again = await openWorktree({ ...spec, directory: elsewhere }, means);
    expect(again).toMatchObject({ made: 'from_branch', base: first.base });
    expect(existsSync(join(again.path, 'kept.txt'))).toBe(true);
    expect(existsSync(join(again.path, 'lost.txt'))).toBe(false);
    expect(await closeWorktree(again, means)).toMatchObject({ commits: 1, changedFiles: ['kept.txt'] });
  });

  it('that was incomplete when the daemon died is created again', async () => {
    const { spec, means, repo } = await setUpWorktree();
    // What a killed `git worktree add` leaves: its locked entry, some of the files, no index.
    git(repo, 'worktree', 'add', '-q', '-b', spec.branch, join(spec.directory, 'worktree'));
    const entry = git(join(spec.directory, 'worktree'), 'rev-parse', '--absolute-git-dir');
    rmSync(join(entry, 'index'));
    writeFileSync(join(entry, 'index.lock'), '');
    writeFileSync(join(entry, 'locked'), 'initializing');
    rmSync(join(spec.directory, 'worktree', 'a.txt'));
    const worktree = await openWorktree(spec, means);
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(await closeWorktree(worktree, means)).toMatchObject({ commits: 0, changedFiles: [] });
    expect(existsSync(worktree.path)).toBe(false);
  });

  it('is created for many foci on one repository at the same time', async () => {
    const { spec, means, root, repo } = await setUpWorktree();
    const worktrees = await Promise.all(
      Array.from({ length: 8 }, (_, n) => {
        const directory = join(root, `focus-${n}`);
        mkdirSync(directory);
        return openWorktree({ ...spec, directory, branch: `animus/${n}` }, means);
      }),
    );
    expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(9);
    await Promise.all(worktrees.map((worktree) => closeWorktree(worktree, means)));
    expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });

  it('leaves uncommitted changes of the repository alone, and reports them', async () => {
    const { spec, means, repo } = await setUpWorktree();
    writeFileSync(join(repo, 'a.txt'), 'not committed');
    const worktree = await openWorktree(spec, means);
    expect(worktree.repoIsDirty).toBe(true);
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('not committed');
  });

  it('works with a bare repository and a detached HEAD', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    git(root, 'clone', '-q', '--bare', repo, 'bare.git');
    const ofBare = await openWorktree({ ...spec, repo: join(root, 'bare.git') }, means);
    expect(existsSync(join(ofBare.path, 'a.txt'))).toBe(true);
    await closeWorktree(ofBare, means);
    git(repo, 'checkout', '-q', '--detach');
    expect(await openWorktree(spec, means)).toMatchObject({ made: 'new' });
  });

  it('of a repository without a commit starts empty, and changes in it count', async () => {
    const { spec, means, root } = await setUpWorktree();
    git(root, 'init', '-q', '-b', 'main', 'unborn');
    const unborn = join(root, 'unborn');
    const worktree = await openWorktree({ ...spec, repo: unborn }, means);
    expect(await closeWorktree({ ...worktree }, means)).toMatchObject({ commits: 0, changedFiles: [] });
    const again = await openWorktree({ ...spec, repo: unborn }, means);
    writeFileSync(join(again.path, 'first'), '');
    expect(await closeWorktree(again, means)).toMatchObject({ changedFiles: ['first'] });
    expect(() => git(unborn, 'rev-parse', '--verify', '-q', 'HEAD')).toThrow(/Command failed/);
  });

  it('of a repository with Git LFS or another filter has files as git stores them, and they count as unchanged', async () => {
    const { spec, means, repo } = await setUpWorktree();
    git(repo, 'config', 'filter.rot.clean', 'tr a-z b-za');
    git(repo, 'config', 'filter.rot.smudge', 'tr b-za a-z');
    git(repo, 'config', 'filter.rot.required', 'true');
    writeFileSync(join(repo, '.gitattributes'), '*.txt filter=rot\n');
    git(repo, 'add', '--renormalize', '.');
    git(repo, 'add', '.gitattributes');
    commit(repo, 'filtered');
    const worktree = await openWorktree(spec, means);
    expect(worktree).toMatchObject({ filters: ['rot'] });
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('b\n');
    expect(await closeWorktree(worktree, means)).toMatchObject({ changedFiles: [] });
  });

  it('of a partial clone that lacks objects is an error that says so, and nothing is fetched', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    git(repo, 'config', 'uploadpack.allowFilter', 'true');
    git(root, 'clone', '-q', '--bare', '--filter=blob:none', `file://${repo}`, 'partial.git');
    await expect(openWorktree({ ...spec, repo: join(root, 'partial.git') }, means)).rejects.toMatchObject({
      code: 'worktree.failed',
      message: expect.stringContaining('is a partial clone that lacks objects'),
    });
  });

  it('of a repository with a file that git would read as a pointer to another repository is an error', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    git(root, 'clone', '-q', '--bare', repo, 'evil.git');
    writeFileSync(join(repo, '.git', 'commondir'), join(root, 'evil.git'));
    await expect(openWorktree(spec, means)).rejects.toMatchObject({ message: expect.stringContaining('commondir') });
  });

  it("that the operator's git created with relative paths is found", async () => {
    const { spec, means } = await setUpWorktree();
    const { entry, path } = await openWorktree(spec, means);
    writeFileSync(join(entry, 'gitdir'), `${relative(entry, join(path, '.git'))}\n`);
    expect(await openWorktree(spec, means)).toMatchObject({ made: 'kept' });
  });

  it.each([
    ['is not there', (root: string) => join(root, 'nowhere'), 'it does not exist'],
    ['is no repository', (root: string) => root, 'not a git repository'],
  ])('of a directory that %s is an error that says so', async (_, repoOf, detail) => {
    const { spec, means, root } = await setUpWorktree();
    await expect(openWorktree({ ...spec, repo: repoOf(root) }, means)).rejects.toMatchObject({
      code: 'worktree.failed',
      message: expect.stringContaining(detail),
    });
  });

  it('runs no program that the repository configures: hooks, fsmonitor', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const trap = join(root, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\necho "$0" >> ${root}/sprung\n`, { mode: 0o755 });
    for (const hook of ['post-checkout', 'reference-transaction', 'post-index-change']) {
      writeFileSync(join(repo, '.git', 'hooks', hook), `#!/bin/sh\necho ${hook} >> ${root}/sprung\n`, { mode: 0o755 });
    }
    git(repo, 'config', 'core.fsmonitor', trap);
    rmSync(join(root, 'sprung'), { force: true });
    const worktree = await openWorktree(spec, means);
    writeFileSync(join(worktree.path, 'a.txt'), 'changed');
    await closeWorktree(worktree, means);
    expect(existsSync(join(root, 'sprung'))).toBe(false);
  });
});
