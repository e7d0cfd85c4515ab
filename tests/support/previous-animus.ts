/** The animus of the commit before, as files of its own beside this one. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/**
 * Finds the newest commit whose program or schema differ from the files here; `missing` says why there is none: not a
 * clone, or a shallow one.
 */
export function previousCommit(): { readonly commit: string } | { readonly missing: string } {
  if (!existsSync(join(ROOT, '.git'))) return { missing: 'this is no clone of the repository' };
  const commits = git('rev-list', '--first-parent', '--max-count=50', 'HEAD').trim().split('\n');
  for (const commit of commits) {
    if (git('diff', '--name-only', commit, '--', 'src', 'migrations').trim() !== '') return { commit };
  }
  return { missing: `the last ${commits.length} commits of this clone have the same program; a deeper clone has more` };
}

/** Its launcher, in a temporary directory that goes with the test; it shares this one's packages. */
export function checkOut(commit: string): string {
  const directory = mkdtempSync(join(tmpdir(), 'animus-previous-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true, maxRetries: 5 }));
  const archive = join(directory, 'tree.tar');
  git('archive', '--format=tar', `--output=${archive}`, commit, 'src', 'migrations', 'faculties', 'package.json');
  const tree = join(directory, 'animus');
  mkdirSync(tree);
  execFileSync('tar', ['-xf', archive, '-C', tree]);
  symlinkSync(join(ROOT, 'node_modules'), join(tree, 'node_modules'));
  return join(tree, 'src', 'animus.js');
}

function git(...args: string[]): string {
  return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8' });
}
