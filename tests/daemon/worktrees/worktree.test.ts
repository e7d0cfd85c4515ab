import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { close, commit, git, open, recordOf, setUpWorktree } from '../../support/worktree.ts';

const placeOf = (root: string) => readFileSync(join(root, 'worktrees', '.place'), 'utf8').trim();

describe('a worktree', { timeout: 180_000 }, () => {
  it('is a repository of its own on its branch from HEAD, and is removed without a trace if nothing changed', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const worktree = await open(spec(), means);
    expect(worktree).toMatchObject({ made: 'new', base: git(repo, 'rev-parse', 'HEAD'), repoIsDirty: false });
    expect(git(worktree.path, 'branch', '--show-current')).toBe(worktree.branch);
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
    expect(git(worktree.path, 'status', '--porcelain')).toBe('');
    expect(git(repo, 'branch', '--format=%(refname:short)')).toBe('main');

    expect(await close(worktree, means)).toMatchObject({
      state: 'removed',
      files: [],
      holds: [],
      changes: { commits: 0 },
    });
    expect(existsSync(worktree.path)).toBe(false);
    expect(git(repo, 'for-each-ref', '--format=%(refname)')).toBe('refs/heads/main');
    expect(git(root, '-C', 'repo', 'worktree', 'list', '--porcelain').match(/^worktree /gm)).toHaveLength(1);
  });

  it('hands commits over on the branch, and uncommitted files as a commit beside it', async () => {
    const { spec, means, repo } = await setUpWorktree();
    const worktree = await open(spec(), means);
    writeFileSync(join(worktree.path, 'Grüße 世界\n.txt'), 'new');
    git(worktree.path, 'add', '.');
    commit(worktree.path, 'one');
    writeFileSync(join(worktree.path, 'a.txt'), 'changed');
    writeFileSync(join(worktree.path, 'untracked'), '');
    const closed = await close(worktree, means);
    expect(closed).toMatchObject({
      branch: worktree.branch,
      state: 'kept',
      changes: { commits: 1 },
      files: ['Grüße 世界\n.txt', 'a.txt', 'untracked'].toSorted(),
      holds: [],
    });
    expect(git(repo, 'rev-parse', worktree.branch)).toBe(closed.tip);
    expect(git(repo, 'log', '-1', '--format=%s', closed.tip)).toBe('one');
    expect(git(repo, 'show', `${worktree.names.handed}rest:a.txt`)).toBe('changed');
    expect(git(repo, 'rev-parse', `${closed.rest}^`)).toBe(closed.tip);
    expect(closed.changes.patch!.toString()).toContain('+changed');
    // The agent's directory is as it was.
    expect(git(worktree.path, 'status', '--porcelain').split('\n')).toHaveLength(2);
  });

  it('has what was left uncommitted committed by the faculty, with the summary and who submitted it', async () => {
    const { spec, means, repo } = await setUpWorktree();
    const worktree = await open(spec(), means);
    writeFileSync(join(worktree.path, 'a.txt'), 'changed');
    rmSync(join(worktree.path, '.gitignore'));
    writeFileSync(join(worktree.path, 'new.txt'), 'new');
    const closed = await close(worktree, means, { commit: true });
    expect(closed).toMatchObject({ rest: null, changes: { commits: 1 }, files: ['.gitignore', 'a.txt', 'new.txt'] });
    expect(git(repo, 'log', '-1', '--format=%an <%ae>', worktree.branch)).toBe('fixer via animus <animus@localhost>');
    expect(git(worktree.path, 'status', '--porcelain')).toBe('');
    git(repo, 'merge', '-q', worktree.branch);
    expect(readFileSync(join(repo, 'new.txt'), 'utf8')).toBe('new');
  });

  it('lets the agent commit without an identity, and names the faculty, the submitter and the work', async () => {
    const { spec, means } = await setUpWorktree();
    const wanted = spec();
    const worktree = await open(wanted, means);
    git(worktree.path, 'commit', '-q', '--allow-empty', '-m', 'mine');
    expect(git(worktree.path, 'log', '-1', '--format=%an <%ae>%n%(trailers)').trim()).toBe(
      `fixer via animus <animus@localhost>\nSubmitted-by: olga\nAnimus-Work: ${wanted.workItemId}`,
    );
  });

  it('hands over what the agent did on branches of its own, with a detached HEAD, in stashes, and dropped commits', async () => {
    const { spec, means, repo } = await setUpWorktree();
    const worktree = await open(spec(), means);
    const { path, names } = worktree;
    git(path, 'checkout', '-q', '-b', 'feature/x');
    commit(path, 'on a branch');
    git(path, 'tag', 'mine');
    writeFileSync(join(path, 'a.txt'), 'stashed');
    git(path, 'stash', '-q');
    commit(path, 'dropped');
    git(path, 'reset', '-q', '--hard', 'HEAD~1');
    git(path, 'checkout', '-q', '--detach');
    git(path, 'branch', '-q', '-D', worktree.branch);
    commit(path, 'away');
    const closed = await close(worktree, means);
    expect(closed).toMatchObject({ changes: { commits: 2 }, state: 'kept' });
    expect(closed.others.map(({ name }) => name.replace(/[0-9a-f]{12}$/, 'ID')).toSorted()).toEqual([
      'dropped/ID',
      'heads/feature/x',
      'stash/0',
      'tags/mine',
    ]);
    expect(git(repo, 'show', `${names.handed}other/stash/0:a.txt`)).toBe('stashed');
    expect(git(repo, 'log', '-1', '--format=%s', worktree.branch)).toBe('away');
    expect(git(repo, 'stash', 'list')).toBe('');
    expect(git(repo, 'tag')).toBe('');
    // Handing over again changes nothing.
    const again = await close(worktree, means);
    expect(again.others).toHaveLength(4);
  });

  it('is found again with everything in it after a crash, even with stale locks', async () => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    writeFileSync(join(first.path, 'a.txt'), 'half done');
    writeFileSync(join(first.path, 'ignored.log'), 'kept');
    for (const lock of ['index.lock', 'HEAD.lock', `refs/heads/${first.branch}.lock`])
      writeFileSync(join(first.path, '.git', lock), '');
    const recorded = recordOf(first, placeOf(root));
    const again = await open({ ...wanted, recorded }, means);
    expect(again).toMatchObject({ made: 'kept', base: first.base, path: first.path, lost: null });
    expect(readFileSync(join(again.path, 'a.txt'), 'utf8')).toBe('half done');
    expect(await close(again, means)).toMatchObject({ files: ['a.txt'], holds: ['ignored'] });
  });

  it('that was parked and removed is made again with uncommitted files, and says so', async () => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    writeFileSync(join(first.path, 'done.txt'), 'done');
    git(first.path, 'add', '.');
    commit(first.path, 'done');
    writeFileSync(join(first.path, 'half.txt'), 'half');
    const parked = await close(first, means, { ended: false });
    rmSync(first.path, { recursive: true });
    const recorded = recordOf(first, placeOf(root), parked);
    const again = await open({ ...wanted, recorded }, means);
    expect(again.made).toBe('again');
    expect(again.lost).toMatch(/only files that git ignores were lost/);
    expect(readFileSync(join(again.path, 'half.txt'), 'utf8')).toBe('half');
    expect(git(again.path, 'status', '--porcelain')).toBe('?? half.txt');
    expect(await close(again, means)).toMatchObject({ changes: { commits: 1 }, files: ['done.txt', 'half.txt'] });
  });

  it('that was handed over as it is, is left alone: what a person has removed stays removed', async () => {
    const { spec, means, repo, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    writeFileSync(join(first.path, 'half.txt'), 'half');
    const parked = await close(first, means, { ended: false });
    const rest = `${first.names.handed}rest`;
    expect(git(repo, 'rev-parse', rest)).toBe(parked.rest);
    git(repo, 'update-ref', '-d', rest);
    const again = await open({ ...wanted, recorded: recordOf(first, placeOf(root), parked) }, means);
    expect(await close(again, means, { ended: false })).toMatchObject({ rest: parked.rest, files: ['half.txt'] });
    expect(git(repo, 'for-each-ref', '--format=%(refname)', rest)).toBe('');
  });

  it('that vanished with work in it is made again only where it is proved to be gone', async () => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    writeFileSync(join(first.path, 'half.txt'), 'half');
    rmSync(first.path, { recursive: true });
    const elsewhere = recordOf(first, '01234567-0123-4123-8123-0123456789ab');
    await expect(open({ ...wanted, recorded: elsewhere }, means)).rejects.toMatchObject({ code: 'worktree.elsewhere' });
    expect(existsSync(first.path)).toBe(false);
    const again = await open({ ...wanted, recorded: recordOf(first, placeOf(root)) }, means);
    expect(again.made).toBe('lost');
    expect(again.lost).toMatch(/is lost$/);
  });

  it('keeps its files where the agent removed or broke .git', async () => {
    const { spec, means, root } = await setUpWorktree();
    for (const breakIt of [
      (path: string) => rmSync(join(path, '.git'), { recursive: true }),
      (path: string) => rmSync(join(path, '.git', 'HEAD')),
    ]) {
      const wanted = spec();
      const first = await open(wanted, means);
      writeFileSync(join(first.path, 'half.txt'), 'half');
      breakIt(first.path);
      const again = await open({ ...wanted, recorded: recordOf(first, placeOf(root)) }, means);
      expect(again.made).toBe('damaged');
      expect(await close(again, means)).toMatchObject({ files: ['half.txt'] });
    }
  });

  it('is not used for another repository than the one the work began in', async () => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    git(root, 'clone', '-q', 'repo', 'other');
    const recorded = recordOf(first, placeOf(root));
    const other = { ...wanted, repo: join(root, 'other'), recorded };
    await expect(open(other, means)).rejects.toMatchObject({ code: 'worktree.other_repository' });
    expect(existsSync(join(first.path, 'a.txt'))).toBe(true);
  });

  it('whose making was cut off is made again', async () => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    mkdirSync(join(root, 'worktrees', `.making-${wanted.id.slice(-12)}`, '.git'), { recursive: true });
    const worktree = await open(wanted, means);
    expect(worktree.made).toBe('new');
    expect(git(worktree.path, 'status', '--porcelain')).toBe('');
  });
});
