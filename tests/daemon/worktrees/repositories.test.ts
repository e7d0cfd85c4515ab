import { existsSync, readFileSync, renameSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { close, commit, git, open, recordOf, setUpWorktree } from '../../support/worktree.ts';

describe('a worktree', { timeout: 180_000 }, () => {
  it.each(['with spaces', 'new\nline', '"quoted" \\ #1', '-dash', 'Grüße'])(
    'of a repository in a directory named %j has its commits handed over',
    async (name) => {
      const { spec, means, repo } = await setUpWorktree({}, `./${name}`);
      const worktree = await open(spec(), means);
      git(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'made');
      await close(worktree, means);
      expect(git(repo, 'log', '-1', '--format=%s', worktree.branch)).toBe('made');
      expect(git(worktree.path, 'fsck')).not.toContain('error');
    },
  );

  it('of a bare repository, of one that is itself a worktree, and of one with a detached HEAD', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    git(root, 'clone', '-q', '--bare', repo, 'bare.git');
    git(repo, 'worktree', 'add', '-q', '-b', 'side', join(root, 'side'));
    git(repo, 'checkout', '-q', '--detach');
    for (const place of ['bare.git', 'side', 'repo']) {
      const worktree = await open(spec({ repo: join(root, place) }), means);
      writeFileSync(join(worktree.path, 'made.txt'), place);
      await close(worktree, means, { commit: true });
      expect(git(join(root, place), 'show', `${worktree.branch}:made.txt`)).toBe(place);
    }
  });

  it('of a repository without a commit starts empty, and changes in it count', async () => {
    const { spec, means, root } = await setUpWorktree();
    git(root, 'init', '-q', '-b', 'main', 'unborn');
    const unborn = join(root, 'unborn');
    expect(await close(await open(spec({ repo: unborn }), means), means)).toMatchObject({ state: 'removed' });
    const again = await open(spec({ repo: unborn }), means);
    writeFileSync(join(again.path, 'first'), '');
    expect(await close(again, means, { commit: true })).toMatchObject({ files: ['first'], state: 'kept' });
    expect(() => git(unborn, 'rev-parse', '--verify', '-q', 'HEAD')).toThrow(/Command failed/);
  });

  it('of a shallow clone, and of one with SHA-256', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    commit(repo, 'second');
    git(root, 'clone', '-q', '--depth=1', `file://${repo}`, 'shallow');
    git(root, 'init', '-q', '--object-format=sha256', 'sha256');
    commit(join(root, 'sha256'), 'first');
    for (const place of ['shallow', 'sha256']) {
      const worktree = await open(spec({ repo: join(root, place) }), means);
      git(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'made');
      expect(await close(worktree, means)).toMatchObject({ changes: { commits: 1 } });
      expect(git(join(root, place), 'log', '-1', '--format=%s', worktree.branch)).toBe('made');
    }
  });

  it('of a partial clone that lacks objects is an error that says so, and nothing is fetched', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    git(repo, 'config', 'uploadpack.allowFilter', 'true');
    git(root, 'clone', '-q', '--bare', '--filter=blob:none', `file://${repo}`, 'partial.git');
    await expect(open(spec({ repo: join(root, 'partial.git') }), means)).rejects.toMatchObject({
      code: 'worktree.failed',
      message: expect.stringContaining('is a partial clone that lacks objects'),
    });
  });

  it.each([
    ['is not there', (root: string) => join(root, 'nowhere'), 'it does not exist'],
    ['is not a repository', (root: string) => root, 'not a git repository'],
  ])('of a directory that %s is an error that says so', async (_, repoOf, detail) => {
    const { spec, means, root } = await setUpWorktree();
    await expect(open(spec({ repo: repoOf(root) }), means)).rejects.toMatchObject({
      code: 'worktree.failed',
      message: expect.stringContaining(detail),
    });
  });

  it('leaves uncommitted changes of the repository alone, and reports them', async () => {
    const { spec, means, repo } = await setUpWorktree();
    writeFileSync(join(repo, 'a.txt'), 'not committed');
    const worktree = await open(spec(), means);
    expect(worktree.repoIsDirty).toBe(true);
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(readFileSync(join(repo, 'a.txt'), 'utf8')).toBe('not committed');
  });

  it('has the branches, tags and remotes of the repository, and none of its stashes or of the work of others', async () => {
    const { spec, means, repo } = await setUpWorktree();
    git(repo, 'branch', 'release');
    git(repo, 'tag', 'v1');
    git(repo, 'remote', 'add', 'origin', 'https://git.example/x.git');
    git(repo, 'update-ref', 'refs/remotes/origin/main', 'main');
    git(repo, 'branch', 'animus/0123456789ab');
    writeFileSync(join(repo, 'a.txt'), 'stashed');
    git(repo, '-c', 'user.name=t', '-c', 'user.email=t@t', 'stash', '-q');
    const { path, branch } = await open(spec(), means);
    expect(git(path, 'for-each-ref', '--format=%(refname)').split('\n')).toEqual([
      `refs/heads/${branch}`,
      'refs/heads/main',
      'refs/heads/release',
      'refs/remotes/origin/main',
      'refs/tags/v1',
    ]);
    expect(git(path, 'remote', 'get-url', 'origin')).toBe('https://git.example/x.git');
  });

  it('survives a collection of garbage in the repository, and in the worktree', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    git(repo, 'checkout', '-q', '-b', 'gone');
    commit(repo, 'only on a branch');
    const wanted = spec();
    const worktree = await open(wanted, means);
    git(repo, 'checkout', '-q', 'main');
    git(repo, 'branch', '-q', '-D', 'gone');
    git(repo, 'reflog', 'expire', '--expire=now', '--all');
    git(repo, 'gc', '-q', '--prune=now');
    writeFileSync(join(worktree.path, 'made.txt'), 'made');
    git(worktree.path, 'gc', '-q', '--prune=now');
    git(worktree.path, 'worktree', 'prune');
    const closed = await close(worktree, means, { commit: true });
    expect(git(repo, 'log', '--format=%s', worktree.branch).split('\n')).toContain('only on a branch');
    const place = readFileSync(join(root, 'worktrees', '.place'), 'utf8').trim();
    const again = await open({ ...wanted, recorded: recordOf(worktree, place, closed) }, means);
    expect(again.made).toBe('kept');
  });

  it('leaves a branch alone that a person moved, checked out or deleted', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const worktree = await open(spec(), means);
    const make = (name: string) => {
      writeFileSync(join(worktree.path, name), name);
      return close(worktree, means, { commit: true, ended: false });
    };
    expect((await make('1')).branch).toBe(worktree.branch);
    git(repo, 'worktree', 'add', '-q', join(root, 'looking'), worktree.branch);
    const second = await make('2');
    expect(second.branch).toBe(`${worktree.branch}-2`);
    expect(existsSync(join(root, 'looking', '2'))).toBe(false);
    git(repo, 'update-ref', `refs/heads/${second.branch}`, 'main');
    expect((await make('3')).branch).toBe(`${worktree.branch}-3`);
    expect(git(repo, 'rev-parse', second.branch)).toBe(git(repo, 'rev-parse', 'main'));
    git(repo, 'branch', '-q', '-D', `${worktree.branch}-3`);
    expect((await make('4')).branch).toBe(`${worktree.branch}-3`);
  });

  it('is made and handed over for 8 items at once, while a person uses git worktree and prunes', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const worktrees = await Promise.all(
      Array.from({ length: 8 }, async (_, n) => {
        const worktree = await open(spec(), means);
        if (n % 3 === 0) git(repo, 'worktree', 'add', '-q', join(root, `mine-${n}`));
        git(repo, 'worktree', 'prune');
        writeFileSync(join(worktree.path, `item-${n}.txt`), `${n}`);
        if (n % 2 === 0) {
          git(worktree.path, 'add', '.');
          git(worktree.path, 'commit', '-q', '-m', `item ${n}`);
        }
        return worktree;
      }),
    );
    await Promise.all(worktrees.map((worktree) => close(worktree, means, { commit: true })));
    for (const [n, { branch, path }] of worktrees.entries()) {
      expect(git(repo, 'diff', '--name-only', 'main', branch)).toBe(`item-${n}.txt`);
      expect(git(repo, 'rev-list', '--count', branch, '--not', 'main')).toBe('1');
      expect(git(path, 'status', '--porcelain')).toBe('');
    }
    expect(git(repo, 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(4);
  });

  it('goes on with what an earlier version left in a linked worktree, whose directory is kept', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const wanted = spec({ linked: [join(root, 'focus-2'), join(root, 'focus-1')] });
    const branch = `animus/${wanted.id.slice(-12)}`;
    const old = join(root, 'focus-1', 'worktree');
    git(repo, 'worktree', 'add', '-q', '-b', branch, old);
    git(repo, 'update-ref', `refs/animus/base/${branch.slice(7)}`, 'main');
    writeFileSync(join(old, 'done.txt'), 'done');
    git(old, 'add', '.');
    commit(old, 'done');
    writeFileSync(join(old, 'half.txt'), 'half');
    const worktree = await open(wanted, means);
    expect(worktree).toMatchObject({ made: 'again', lost: null });
    expect(git(worktree.path, 'status', '--porcelain')).toBe('?? half.txt');
    expect(readFileSync(join(old, 'half.txt'), 'utf8')).toBe('half');
    const closed = await close(worktree, means, { commit: true });
    expect(closed).toMatchObject({ branch, changes: { commits: 2 }, files: ['done.txt', 'half.txt'] });
  });

  it('whose base nobody knows is not taken for one that began at HEAD', async () => {
    const { spec, means, repo } = await setUpWorktree();
    const wanted = spec();
    const { names } = await open(wanted, means);
    git(repo, 'update-ref', '-d', names.base);
    await expect(open(wanted, means)).rejects.toMatchObject({
      code: 'worktree.failed',
      message: expect.stringContaining('neither the database nor the repository knows it'),
    });
  });

  it('follows no link that an agent has put in the place of a linked worktree', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const wanted = spec({ linked: [join(root, 'focus-1')] });
    const old = join(root, 'focus-1', 'worktree');
    git(repo, 'worktree', 'add', '-q', '-b', `animus/${wanted.id.slice(-12)}`, old);
    git(repo, 'update-ref', `refs/animus/base/${wanted.id.slice(-12)}`, 'main');
    renameSync(old, join(root, 'elsewhere'));
    writeFileSync(join(root, 'elsewhere', 'private.txt'), 'private');
    symlinkSync(join(root, 'elsewhere'), old);
    const worktree = await open(wanted, means);
    expect(existsSync(join(worktree.path, 'private.txt'))).toBe(false);
  });
});
