/** A copy of the repository that mutants are put into. */
import { execFileSync } from 'node:child_process';
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { applyMutant, type Mutant } from './mutant.ts';

export interface Tree {
  /** Holds the copy (`tree`) and what its tests write. */
  readonly directory: string;
  readonly root: string;
  /** Puts a mutant into the copy. */
  change(mutant: Mutant): void;
  /** Takes it out again. */
  restore(mutant: Mutant): void;
}

/** Copies what git knows and does not ignore, as it is now. */
export function copyTree(repository: string, directory: string): Tree {
  const root = join(directory, 'tree');
  mkdirSync(join(directory, 'home'), { recursive: true });
  const listed = execFileSync('git', ['ls-files', '-z', '-co', '--exclude-standard'], {
    cwd: repository,
    encoding: 'utf8',
  });
  for (const file of listed.split('\0').filter((name) => name && existsSync(join(repository, name)))) {
    mkdirSync(dirname(join(root, file)), { recursive: true });
    cpSync(join(repository, file), join(root, file), { verbatimSymlinks: true });
  }
  linkPackages(join(repository, 'node_modules'), join(root, 'node_modules'));
  // The repository may be edited meanwhile.
  const originals = new Map<string, string>();
  const original = (file: string): string => {
    const source = originals.get(file) ?? readFileSync(join(root, file), 'utf8');
    originals.set(file, source);
    return source;
  };
  return {
    directory,
    root,
    change: (mutant) => writeFileSync(join(root, mutant.file), applyMutant(original(mutant.file), mutant)),
    restore: ({ file }) => writeFileSync(join(root, file), original(file)),
  };
}

/** Tools write their caches beside the packages, so the directory itself belongs to the copy. */
function linkPackages(from: string, to: string): void {
  mkdirSync(to);
  for (const name of readdirSync(from).filter((each) => each === '.bin' || !each.startsWith('.')))
    symlinkSync(join(from, name), join(to, name));
}

/** Removes what the tests of the last mutant left behind. */
export function emptyHome({ directory }: Tree): string {
  const home = join(directory, 'home');
  rmSync(home, { recursive: true, force: true });
  mkdirSync(home);
  return home;
}
