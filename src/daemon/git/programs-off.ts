/** Configuration that switches off every program that a repository's configuration names for its files: filters (such as Git LFS) and hooks. */
import { AnimusError } from '../../core/errors/errors.ts';
import { type GitPlace, type GitRunner, runGit, type Setting } from './git.ts';
import { parseSettings } from './private-config.ts';

/** What switches them off, and the names of the filters, to explain pointer files. */
export interface ProgramsOff {
  readonly off: readonly Setting[];
  readonly filters: readonly string[];
}

/** The repository's own configuration, with what it includes. Reading it runs nothing. Errors: `worktree.failed`. */
export async function readSettings(place: Omit<GitPlace, 'off'>, git: GitRunner): Promise<readonly Setting[]> {
  const listed = await runGit({ ...place, off: [] }, ['config', '--local', '--includes', '--null', '--list'], git);
  if (listed.cut)
    throw new AnimusError('worktree.failed', { repo: place.gitDir, detail: 'its configuration is too long' });
  return listed.ok ? parseSettings(listed.stdout) : [];
}

/** Switches off the filters and hooks that these settings name. */
export function filtersOff(settings: readonly Setting[]): ProgramsOff {
  const names = (section: string) => [
    ...new Set(
      settings
        .map(([key]) => key)
        .filter((key) => key.startsWith(`${section}.`) && key.indexOf('.') < key.lastIndexOf('.'))
        .map((key) => key.slice(0, key.lastIndexOf('.'))),
    ),
  ];
  const filters = names('filter');
  return {
    off: [
      ...filters.flatMap((name): Setting[] => [
        [`${name}.clean`, ''],
        [`${name}.smudge`, ''],
        [`${name}.process`, ''],
        [`${name}.required`, 'false'],
      ]),
      ...names('hook').map((name): Setting => [`${name}.enabled`, 'false']),
    ],
    filters: filters.map((name) => name.slice('filter.'.length)),
  };
}
