/** Detects the defaults of `animus init`: whether a directory can have worktrees, and how its tests run. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

/**
 * Why a directory can have no worktrees; null: it is the top directory of a git repository with at least one commit. `top`: of the repository that it
 * is in.
 */
export type NoWorktrees = { readonly why: string; readonly top: string | null } | null;

export function whyNoWorktrees(directory: string): NoWorktrees {
  const git = (...args: readonly string[]) => spawnSync('git', args, { cwd: directory, encoding: 'utf8' });
  if (!existsSync(join(directory, '.git'))) {
    const top = git('rev-parse', '--show-toplevel');
    if (top.status !== 0) return { why: 'it is not a git repository', top: null };
    return { why: 'it is not the top directory of its git repository', top: top.stdout.trim() };
  }
  if (git('rev-parse', '--verify', '--quiet', 'HEAD').status === 0) return null;
  return { why: 'its git repository has no commit', top: null };
}

/** Maps a file to the command that usually runs the tests of a project with this file. */
const TESTS: readonly (readonly [file: string, command: string])[] = [
  ['Cargo.toml', 'cargo test'],
  ['go.mod', 'go test ./...'],
  ['pyproject.toml', 'python3 -m pytest'],
  ['pytest.ini', 'python3 -m pytest'],
  ['Gemfile', 'bundle exec rake test'],
  ['pom.xml', 'mvn -q test'],
  ['Makefile', 'make test'],
];

/** The command that runs the tests, detected from the files; null if none is found. */
export function detectTests(directory: string): string | null {
  if (hasNpmTest(join(directory, 'package.json'))) return 'npm test';
  return TESTS.find(([file]) => existsSync(join(directory, file)))?.[1] ?? null;
}

function hasNpmTest(file: string): boolean {
  if (!existsSync(file)) return false;
  try {
    const { scripts } = JSON.parse(readFileSync(file, 'utf8')) as { readonly scripts?: Record<string, string> };
    return typeof scripts?.['test'] === 'string' && !scripts['test'].includes('no test specified');
  } catch {
    // An unreadable package.json has no test command; npm itself reports what is wrong with it.
    return false;
  }
}
