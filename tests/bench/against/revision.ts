/** A revision of this repository in a directory of its own, ready to run. */
import { execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { existsSync, mkdtempSync, readFileSync, rmSync, symlinkSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join, resolve } from 'node:path';

export const ROOT = resolve(import.meta.dirname, '../../..');

export interface Revision {
  readonly commit: string;
  readonly directory: string;
  /** Removes the worktree; may be called twice. */
  remove(): void;
}

/** Checks it out into a temporary git worktree. Packages are those of this tree where the lock file is the same, otherwise they are installed. */
export async function checkOut(revision: string): Promise<Revision> {
  const commit = git('rev-parse', '--verify', '--end-of-options', `${revision}^{commit}`).trim();
  const parent = mkdtempSync(join(tmpdir(), 'bench-against-'));
  const directory = join(parent, 'tree');
  const remove = () => {
    rmSync(parent, { recursive: true, force: true });
    git('worktree', 'prune');
  };
  try {
    git('worktree', 'add', '--quiet', '--detach', directory, commit);
    await packages(directory, '.');
    // What the peers need is installed only by those who want to compare with them.
    if (existsSync(join(ROOT, PEERS, 'node_modules'))) await packages(directory, PEERS);
    return { commit, directory, remove };
  } catch (error) {
    remove();
    throw error;
  }
}

const PEERS = 'tests/bench/peers';

async function packages(directory: string, folder: string): Promise<void> {
  const [here, there] = [join(ROOT, folder), join(directory, folder)];
  const lock = (of: string) => readFileSync(join(of, 'package-lock.json'), 'utf8');
  if (!existsSync(join(there, 'package-lock.json'))) return;
  if (lock(here) === lock(there)) {
    symlinkSync(join(here, 'node_modules'), join(there, 'node_modules'));
    return;
  }
  const npm = spawn('npm', ['ci', '--no-audit', '--no-fund'], { cwd: there, stdio: ['ignore', 2, 2] });
  const [code] = (await once(npm, 'exit')) as [number | null];
  if (code !== 0) throw new Error(`npm ci failed in the worktree, in ${folder}`);
}

export function git(...argv: string[]): string {
  return execFileSync('git', argv, { cwd: ROOT, encoding: 'utf8' });
}
