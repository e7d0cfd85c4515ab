import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { temporaryNames } from '../../../src/tools/files/temporary-names.ts';
import { close, git, open, recordOf, setUpWorktree } from '../../support/worktree.ts';

const { fresh, backup } = temporaryNames();

describe('a temporary file of a write in a worktree', () => {
  it('is not added by the git of the agent, nor handed over while it is there', async () => {
    const { spec, means, repo } = await setUpWorktree();
    const worktree = await open(spec(), means);
    mkdirSync(join(worktree.path, 'docs'));
    for (const name of [fresh, `docs/${backup}`, 'docs/new.txt']) writeFileSync(join(worktree.path, name), 'half');
    git(worktree.path, 'add', '-A');
    expect(git(worktree.path, 'diff', '--cached', '--name-only')).toBe('docs/new.txt');
    // An agent may have taken the line out.
    rmSync(join(worktree.path, '.git/info/exclude'));
    writeFileSync(join(worktree.path, 'docs/other.txt'), 'whole');
    const closed = await close(worktree, means, { ended: false });
    expect(closed).toMatchObject({ files: ['docs/new.txt', 'docs/other.txt'], holds: [] });
    expect(closed.changes.patch!.toString()).not.toContain('.animus-write-');
    expect(git(repo, 'ls-tree', '-r', '--name-only', closed.rest!)).not.toContain('.animus-write-');
  });

  it('keeps no worktree that has nothing else', async () => {
    const { spec, means } = await setUpWorktree();
    const worktree = await open(spec(), means);
    writeFileSync(join(worktree.path, fresh), 'half');
    expect(await close(worktree, means)).toMatchObject({ state: 'removed', files: [], holds: [] });
    expect(existsSync(worktree.path)).toBe(false);
  });

  it('is removed where work goes on that did not come to its end, also where git ignores all files', async () => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    mkdirSync(join(first.path, 'build'));
    writeFileSync(join(first.path, 'build/.gitignore'), '*\n');
    const left = [fresh, `build/${backup}`].map((name) => join(first.path, name));
    const others = ['.animus-write-mine.tmp', 'build/made'].map((name) => join(first.path, name));
    for (const path of [...left, ...others]) writeFileSync(path, '');
    const place = readFileSync(join(root, 'worktrees', '.place'), 'utf8').trim();
    await open({ ...wanted, recorded: recordOf(first, place) }, means);
    expect(left.filter((path) => existsSync(path))).toEqual([]);
    expect(others.filter((path) => existsSync(path))).toEqual(others);
  });

  it.each([
    ['other lines', (file: string) => writeFileSync(file, Buffer.from('/m\xe4.txt\n*.o', 'latin1'))],
    ['a pattern that would bring it back', (file: string) => writeFileSync(file, '.animus-write-*.tmp\n!.animus*\n')],
    ['a pipe', (file: string) => execFileSync('mkfifo', [file])],
    ['a directory', (file: string) => mkdirSync(file)],
  ])('is excluded last, where info/exclude has %s', async (_, make) => {
    const { spec, means, root } = await setUpWorktree();
    const wanted = spec();
    const first = await open(wanted, means);
    const file = join(first.path, '.git/info/exclude');
    rmSync(file);
    make(file);
    const was = existsSync(file) && lines(file);
    const place = readFileSync(join(root, 'worktrees', '.place'), 'utf8').trim();
    await open({ ...wanted, recorded: recordOf(first, place) }, means);
    writeFileSync(join(first.path, fresh), '');
    expect(git(first.path, 'status', '--porcelain')).toBe('');
    const kept = (was || []).filter((line) => line !== '.animus-write-*.tmp');
    expect(lines(file)).toEqual([...kept, '.animus-write-*.tmp']);
  });
});

/** Empty for what is not a file. */
function lines(file: string): readonly string[] {
  try {
    return execFileSync('cat', [file], { encoding: 'latin1', timeout: 500, stdio: 'pipe' }).trimEnd().split('\n');
  } catch {
    return [];
  }
}
