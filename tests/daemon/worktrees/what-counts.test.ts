import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, utimesSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { close, commit, git, open, setUpWorktree } from '../../support/worktree.ts';

/** A repository with a submodule `lib` that has one file, and the submodule checked out in a worktree of it. */
async function withSubmodule() {
  const site = await setUpWorktree();
  const { root, repo, spec, means } = site;
  git(root, 'init', '-q', '-b', 'main', 'library');
  writeFileSync(join(root, 'library', 'l.txt'), 'l\n');
  git(join(root, 'library'), 'add', '.');
  commit(join(root, 'library'), 'library');
  git(repo, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'add', join(root, 'library'), 'lib');
  commit(repo, 'with a library');
  const worktree = await open(spec(), means);
  git(worktree.path, '-c', 'protocol.file.allow=always', 'submodule', '--quiet', 'update', '--init');
  return { ...site, worktree, lib: join(worktree.path, 'lib') };
}

describe('what counts as work in a worktree', { timeout: 180_000 }, () => {
  it('a submodule that was only checked out is none', async () => {
    const { worktree, means } = await withSubmodule();
    expect(await close(worktree, means)).toMatchObject({ state: 'removed', files: [], holds: [] });
  });

  it.each([
    ['a file is edited', (lib: string) => writeFileSync(join(lib, 'l.txt'), 'edited\n'), ['lib/l.txt']],
    ['a file is new', (lib: string) => writeFileSync(join(lib, 'n.txt'), 'new\n'), ['lib/n.txt']],
    [
      'is committed',
      (lib: string) => {
        writeFileSync(join(lib, 'l.txt'), 'edited\n');
        git(lib, '-c', 'user.name=t', '-c', 'user.email=t@t', 'commit', '-q', '-am', 'in the library');
      },
      ['lib'],
    ],
    [
      'something is stashed',
      (lib: string) => {
        writeFileSync(join(lib, 'l.txt'), 'edited\n');
        git(lib, '-c', 'user.name=t', '-c', 'user.email=t@t', 'stash', '-q');
      },
      [],
    ],
    [
      'a commit was dropped',
      (lib: string) => {
        commit(lib, 'dropped');
        git(lib, 'reset', '-q', '--hard', 'HEAD~');
      },
      [],
    ],
    [
      'a file is ignored',
      (lib: string) => {
        writeFileSync(join(git(lib, 'rev-parse', '--absolute-git-dir'), 'info', 'exclude'), 'n.txt\n');
        writeFileSync(join(lib, 'n.txt'), 'new\n');
      },
      [],
    ],
    [
      'a repository was begun',
      (lib: string) => {
        rmSync(lib, { recursive: true });
        git(join(lib, '..'), 'init', '-q', 'lib');
        writeFileSync(join(lib, 'l.txt'), 'new\n');
      },
      ['lib/l.txt'],
    ],
  ])('a submodule in which %s is kept, and named', async (_, change, files) => {
    const { worktree, lib, means, repo } = await withSubmodule();
    change(lib);
    const closed = await close(worktree, means, { commit: true });
    expect(closed).toMatchObject({ state: 'kept', files, holds: ['submodule'] });
    expect(existsSync(join(lib, 'l.txt'))).toBe(true);
    // A moved submodule is a change of the branch, too.
    if (files[0] === 'lib') expect(git(repo, 'show', '--stat', '--format=', worktree.branch)).toContain('lib');
  });

  it('a submodule of which the agent wrote the configuration runs none of its programs', async () => {
    const { worktree, lib, means, root } = await withSubmodule();
    const trap = join(root, 'trap.sh');
    writeFileSync(trap, `#!/bin/sh\necho sprung >> ${root}/sprung\n`, { mode: 0o755 });
    git(lib, 'config', 'core.fsmonitor', trap);
    git(lib, 'config', 'filter.x.clean', trap);
    writeFileSync(join(lib, '.gitattributes'), '* filter=x\n');
    writeFileSync(join(lib, 'l.txt'), 'edited\n');
    expect(await close(worktree, means)).toMatchObject({ holds: ['submodule'] });
    expect(existsSync(join(root, 'sprung'))).toBe(false);
    // Nor does the git of a person who looks at the directory afterwards.
    git(worktree.path, 'status');
    git(worktree.path, 'diff');
    expect(existsSync(join(root, 'sprung'))).toBe(false);
  });

  it('a repository inside is kept, and named', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await open(spec(), means);
    git(worktree.path, 'init', '-q', 'inner');
    writeFileSync(join(worktree.path, 'inner', 'x'), 'x');
    commit(join(worktree.path, 'inner'), 'inner');
    const closed = await close(worktree, means, { commit: true });
    expect(closed).toMatchObject({ state: 'kept', files: ['inner/'], holds: ['embedded'], rest: null });
  });

  it('ignored files and empty directories are kept, and only the former are named', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await open(spec(), means);
    writeFileSync(join(worktree.path, 'x.log'), 'x');
    expect(await close(worktree, means)).toMatchObject({ state: 'kept', files: [], holds: ['ignored'] });
  });

  it('files of a filter are as git stores them and unchanged, also after the agent checked them out through it', async () => {
    const { spec, means, repo } = await setUpWorktree();
    git(repo, 'config', 'filter.rot.clean', 'tr a-y b-z');
    git(repo, 'config', 'filter.rot.smudge', 'tr b-z a-y');
    writeFileSync(join(repo, '.gitattributes'), 'a.txt filter=rot\n');
    git(repo, 'add', '--renormalize', '.');
    git(repo, 'add', '.');
    commit(repo, 'rot');
    const worktree = await open(spec(), means);
    expect(worktree).toMatchObject({ filters: ['rot'] });
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('b\n');
    rmSync(join(worktree.path, 'a.txt'));
    git(worktree.path, 'checkout', '-q', '--', 'a.txt');
    expect(readFileSync(join(worktree.path, 'a.txt'), 'utf8')).toBe('a\n');
    const unchanged = await close(worktree, means, { ended: false, commit: true });
    expect(unchanged).toMatchObject({ files: [], holds: [], rest: null });
    writeFileSync(join(worktree.path, 'a.txt'), 'c\n');
    utimesSync(join(worktree.path, 'a.txt'), 1, 1);
    const changed = await close(worktree, means, { commit: true });
    expect(changed).toMatchObject({ files: ['a.txt'], holds: ['filtered'], state: 'kept' });
  });

  it('a name that is not UTF-8 is kept, and named', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await open(spec(), means);
    execFileSync('sh', ['-c', 'printf x > "$(printf \'caf\\351\')"'], { cwd: worktree.path });
    expect(await close(worktree, means, { commit: true })).toMatchObject({ state: 'kept', holds: ['names'] });
  });

  it('modes, links, removed directories and replaced files are handed over as they are', async () => {
    const { spec, means, repo } = await setUpWorktree();
    mkdirSync(join(repo, 'dir'));
    writeFileSync(join(repo, 'dir', 'in'), 'in');
    git(repo, 'add', '.');
    commit(repo, 'dir');
    const worktree = await open(spec(), means);
    rmSync(join(worktree.path, 'dir'), { recursive: true });
    writeFileSync(join(worktree.path, 'dir'), 'a file now');
    execFileSync('ln', ['-s', 'a.txt', join(worktree.path, 'link')]);
    writeFileSync(join(worktree.path, 'run.sh'), '#!/bin/sh\n', { mode: 0o755 });
    const closed = await close(worktree, means, { commit: true });
    expect(closed.files).toEqual(['dir', 'dir/in', 'link', 'run.sh']);
    expect(git(repo, 'ls-tree', '-r', '--format=%(objectmode) %(path)', worktree.branch).split('\n')).toEqual([
      '100644 .gitignore',
      '100644 a.txt',
      '100644 dir',
      '120000 link',
      '100755 run.sh',
    ]);
  });

  it('an unfinished merge is handed over with its conflict, and not lost', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await open(spec(), means);
    const { path } = worktree;
    git(path, 'checkout', '-q', '-b', 'one');
    writeFileSync(join(path, 'a.txt'), 'one\n');
    git(path, 'commit', '-qam', 'one');
    git(path, 'checkout', '-q', worktree.branch);
    writeFileSync(join(path, 'a.txt'), 'two\n');
    git(path, 'commit', '-qam', 'two');
    expect(() => git(path, 'merge', 'one')).toThrow();
    const closed = await close(worktree, means);
    expect(closed.files).toEqual(['a.txt']);
    expect(closed.changes.patch!.toString()).toContain('<<<<<<<');
  });
});
