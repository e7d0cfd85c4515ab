/** Finds the operator's repository of a worktree, and how the daemon's git uses it. */
import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import { findProgram } from '../../process/find-program.ts';
import type { GitPlace, GitWriter, Setting } from '../git/git.ts';
import type { PrivateSettings } from '../git/private-config.ts';
import { filtersOff, readSettings } from '../git/programs-off.ts';
import { type Refs, readRefs } from '../git/read-refs.ts';
import { findRepository, type Repository } from '../git/repository.ts';

/** What the private repository of a worktree is made and mended with. */
export interface Origin {
  readonly repository: Repository;
  /** The operator's repository, for the daemon's git. */
  readonly place: GitPlace;
  readonly settings: PrivateSettings;
  /** The trailers of commits made in it. */
  readonly trailers: readonly string[];
}

/** `trailers`: of commits in the worktree. Errors: `worktree.failed`. */
export async function openOrigin(
  { repo, author }: { readonly repo: string; readonly author: PrivateSettings['author'] },
  trailers: readonly string[],
  git: GitWriter,
): Promise<{ readonly origin: Origin; readonly filters: readonly string[]; readonly refs: Refs }> {
  const repository = findRepository(repo);
  if ('problem' in repository) throw new AnimusError('worktree.failed', { repo, detail: repository.problem });
  const { gitDir, commonDir, workTree } = repository;
  // Neither runs a program that the configuration names.
  const bare: GitPlace = { gitDir, commonDir, workTree, off: [] };
  const [operator, refs] = await Promise.all([readSettings(bare, git), readRefs(bare, git)]);
  const { off, filters } = filtersOff(operator);
  const place: GitPlace = { ...bare, off };
  return {
    origin: { repository, place, settings: { operator, author, hooksPath: hooksOf(repository, operator) }, trailers },
    filters,
    refs,
  };
}

/** Where the operator's own hooks are, for the commits of the agent; null: there are none. */
function hooksOf({ commonDir }: Repository, operator: readonly Setting[]): string | null {
  const set = operator.findLast(([key]) => key === 'core.hookspath')?.[1];
  if (set !== undefined && set !== '') return set;
  const hooks = join(commonDir, 'hooks');
  return namesIn(hooks).some((name) => !name.endsWith('.sample') && findProgram(join(hooks, name), '', '/') !== null)
    ? hooks
    : null;
}

function namesIn(directory: string): readonly string[] {
  try {
    return readdirSync(directory);
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'ENOENT' || code === 'ENOTDIR') return [];
    throw error;
  }
}
