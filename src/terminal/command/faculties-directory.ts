/** The directory of the faculty files. */
import { existsSync } from 'node:fs';
import { join, resolve } from 'node:path';
import type { Invocation } from './command.ts';

/** The option that names it. */
export const FACULTIES_OPTION = [
  '--faculties <dir>',
  'directory of the faculty files (default: ./faculties, otherwise ANIMUS_HOME/faculties)',
] as const;

/** The directory given by `--faculties`, else ./faculties if it exists, else ANIMUS_HOME/faculties. */
export async function facultiesDirectory(invocation: Invocation, option: string | undefined): Promise<string> {
  const { cwd } = invocation.context;
  if (option !== undefined) return resolve(cwd, option);
  const here = resolve(cwd, 'faculties');
  return existsSync(here) ? here : join((await invocation.reach()).home, 'faculties');
}
