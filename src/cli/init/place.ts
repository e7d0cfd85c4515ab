/** Detects the defaults of `animus init`: whether a directory is a repository, and how its tests run. */
import { spawnSync } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

export interface Place {
  /** The top directory of a git repository with at least one commit, so that it can have worktrees. */
  readonly isRepository: boolean;
}

export function inspectPlace(directory: string): Place {
  if (!existsSync(join(directory, '.git'))) return { isRepository: false };
  const head = spawnSync('git', ['rev-parse', '--verify', '--quiet', 'HEAD'], { cwd: directory, stdio: 'ignore' });
  return { isRepository: head.status === 0 };
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
