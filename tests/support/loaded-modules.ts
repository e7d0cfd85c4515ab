/** What a program loads. */
import { execFile } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { sharedCompileCache } from './compile-cache.ts';

/** Given to a process by --import, it writes the URLs of all modules to the file that LOADED_MODULES names. */
export const RECORDER = join(import.meta.dirname, 'loaded-modules.mjs');

export interface LoadedModules {
  /** Names of packages, in order. */
  readonly packages: readonly string[];
  /** URLs of our own files. */
  readonly files: readonly string[];
}

/** Runs a program of Node in a process of its own, in the directory, which is also its home; it must succeed. */
export async function loadedModules(
  cwd: string,
  argv: readonly string[],
  env: NodeJS.ProcessEnv = {},
): Promise<LoadedModules> {
  const report = join(cwd, 'modules');
  const { PATH } = process.env;
  await promisify(execFile)(process.execPath, ['--import', RECORDER, ...argv], {
    cwd,
    env: { PATH, HOME: cwd, LOADED_MODULES: report, ...sharedCompileCache(), ...env },
  });
  const urls = readFileSync(report, 'utf8')
    .split('\n')
    .filter((url) => url.startsWith('file:'));
  const packages = urls.flatMap((url) => /.*\/node_modules\/((?:@[^/]+\/)?[^/]+)\//.exec(url)?.[1] ?? []);
  return {
    packages: [...new Set(packages)].toSorted(),
    files: urls.filter((url) => !url.includes('/node_modules/')),
  };
}
