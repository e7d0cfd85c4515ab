/** The animus of version 0.1.0 in a directory of its own, with the packages it was written for. */
import { execFileSync } from 'node:child_process';
import { existsSync, mkdirSync, mkdtempSync, renameSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';
import { onTestFinished } from 'vitest';

const ROOT = resolve(import.meta.dirname, '../..');

/** The commit to compare with: the last one before the schema and the packages changed. */
export const PREVIOUS_COMMIT = '30887c7c6203f83f4aabeb33efd85a4f261521e1';

const PACKAGES = join(ROOT, 'node_modules', '.cache', `animus-${PREVIOUS_COMMIT.slice(0, 7)}`);

/** Why it is not available here, or null. It needs a clone of the repository with its history. */
export function missingPrevious(): string | null {
  if (!existsSync(join(ROOT, '.git'))) return 'this is not a clone of the repository';
  try {
    git('cat-file', '-e', `${PREVIOUS_COMMIT}^{commit}`);
    return null;
  } catch {
    return `this clone does not hold commit ${PREVIOUS_COMMIT.slice(0, 7)}; a clone with the whole history does (git fetch --unshallow)`;
  }
}

/**
 * Installs the packages it was written for, once per clone, from npm's configured registry; takes about ten seconds. They stay in
 * node_modules/.cache.
 */
export function installPreviousPackages(): void {
  if (existsSync(join(PACKAGES, 'node_modules'))) return;
  mkdirSync(join(PACKAGES, '..'), { recursive: true });
  const fresh = mkdtempSync(`${PACKAGES}-`);
  try {
    extract(fresh, ['package.json', 'package-lock.json']);
    execFileSync('npm', ['ci', '--omit=dev', '--omit=optional', '--ignore-scripts', '--no-audit', '--no-fund'], {
      cwd: fresh,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    renameSync(fresh, PACKAGES);
  } catch (error) {
    rmSync(fresh, { recursive: true, force: true });
    // Another test run may have been faster.
    if (!existsSync(join(PACKAGES, 'node_modules'))) throw error;
  }
}

/** Its launcher, in a temporary directory that is removed with the test: Node runs no TypeScript below node_modules. */
export function checkOutPrevious(): string {
  const tree = mkdtempSync(join(tmpdir(), 'animus-previous-'));
  onTestFinished(() => rmSync(tree, { recursive: true, force: true, maxRetries: 5 }));
  extract(tree, ['src', 'migrations', 'faculties', 'package.json']);
  symlinkSync(join(PACKAGES, 'node_modules'), join(tree, 'node_modules'));
  return join(tree, 'src', 'animus.js');
}

function extract(directory: string, paths: readonly string[]): void {
  const archive = join(directory, 'tree.tar');
  git('archive', '--format=tar', `--output=${archive}`, PREVIOUS_COMMIT, ...paths);
  execFileSync('tar', ['-xf', archive, '-C', directory]);
  rmSync(archive);
}

function git(...args: string[]): string {
  return execFileSync('git', ['-C', ROOT, ...args], { encoding: 'utf8', stdio: ['ignore', 'pipe', 'pipe'] });
}
