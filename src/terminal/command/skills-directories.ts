/** The directories of the skills. */
import { existsSync, statSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { usageError } from '../../core/errors/errors.ts';
import type { Invocation } from './command.ts';

/** The option that names the first of them. */
export const SKILLS_OPTION = [
  '--skills <dir>',
  'directory of the skills (default: ./skills, otherwise ANIMUS_HOME/skills)',
] as const;

/**
 * The directory given by `--skills`, else ./skills if it exists, else ANIMUS_HOME/skills; then those of `[skills]` in animus.toml.
 * Errors: `usage.invalid` if `--skills` names none.
 */
export async function skillsDirectories(invocation: Invocation, option: string | undefined): Promise<string[]> {
  const { cwd } = invocation.context;
  const config = await invocation.config();
  return [await firstDirectory(), ...config.skills.directories];

  async function firstDirectory(): Promise<string> {
    if (option !== undefined) {
      const given = resolve(cwd, option);
      if (statSync(given, { throwIfNoEntry: false })?.isDirectory() !== true)
        throw usageError(`--skills: ${given} is not a directory`);
      return given;
    }
    const here = resolve(cwd, 'skills');
    return existsSync(here) ? here : join(config.home, 'skills');
  }
}
