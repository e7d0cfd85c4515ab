/** The files that the daemon loads or runs on this host: write access to them would be control over the daemon. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { FixedConfig } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/source/environment.ts';
import { isWithin } from '../../process/file-rules.ts';

/** Where a daemon looks for files. */
export interface LoadedFrom {
  readonly config: FixedConfig;
  readonly env: Environment;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly facultiesDir: string;
  /** Absolute; default none. */
  readonly skillsDirs?: readonly string[];
}

/**
 * Real paths, also of what a start would read and that is not there now (animus.toml, faculties in the current directory):
 * the directories of the faculties, of skills and of hooks; animus.toml; scripts, programs and certificates of providers; modules that NODE_OPTIONS
 * names; the code of animus with its packages, its Node, and the code that Node has compiled.
 */
export function loadedFiles(from: LoadedFrom): readonly string[] {
  const { config, env, cwd, facultiesDir } = from;
  const { skillsDirs = [] } = from;
  const settings = [config.file ?? join(cwd, 'animus.toml'), facultiesDir, ...skillsDirs, config.hooks.directory];
  // The defaults apply only while the current directory has none.
  if (facultiesDir === join(config.home, 'faculties')) settings.push(join(cwd, 'faculties'));
  if (skillsDirs[0] === join(config.home, 'skills')) settings.push(join(cwd, 'skills'));
  const cache = env['NODE_COMPILE_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'animus');
  const modules = (env['NODE_OPTIONS'] ?? '').split(/[\s=]+/).flatMap((word) => fileNamedBy(word, cwd));
  const own = [...ownCode(), process.execPath, resolve(cwd, cache)];
  return [...settings, ...filesOfProviders(config), ...modules, ...own].map(realPathOf);
}

/** Scripted answers, programs and certificates. */
function filesOfProviders(config: FixedConfig): readonly string[] {
  const others = [...config.providers.values()].flatMap((provider) => {
    if (provider.kind === 'scripted') return [provider.script];
    return provider.caFile === null || isSystem(dirname(provider.caFile)) ? [] : [provider.caFile];
  });
  return [...others, ...credentialPrograms(config)];
}

/** The programs that print credentials, and those of their arguments that are files. */
export function credentialPrograms({ providers }: FixedConfig): readonly string[] {
  return [...providers.values()].flatMap((provider) => {
    if (provider.kind === 'scripted' || provider.credentials === null) return [];
    const { command, directory } = provider.credentials;
    return command.flatMap((word, index) => {
      if (index === 0) return word.includes('/') ? [resolve(directory, word)] : [];
      return fileNamedBy(word.replace(/^-[^=]*=/, ''), directory);
    });
  });
}

/** The path, if it is that of a file. */
function fileNamedBy(word: string, directory: string): readonly string[] {
  const path = resolve(directory, word);
  return statSync(path, { throwIfNoEntry: false })?.isFile() && !isSystem(dirname(path)) ? [path] : [];
}

/** The files of a faculty, as real paths, each with its directory as `withDirectory` says. */
export function filesOfFaculty(faculty: Faculty, home: string): readonly string[] {
  const { file, files, workspace, repo } = faculty;
  const elsewhere = [workspace, repo, home, process.cwd(), dirname(dirname(file))];
  const places = elsewhere.filter((place) => place !== null).map(realPathOf);
  return [file, ...files].map(realPathOf).map((path) => withDirectory(path, places));
}

/**
 * Files beside a script may be part of it, so its whole directory counts, unless that also contains one of the places: a
 * workspace, the faculties, or ANIMUS_HOME. All paths are real.
 */
export function withDirectory(path: string, places: readonly string[]): string {
  const directory = dirname(path);
  const holdsMore = places.some((place) => isWithin(directory, place));
  const isScript = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
  return isScript && !holdsMore && !isSystem(directory) ? directory : path;
}

/** These contain too much else, and most of it belongs to root. */
function isSystem(directory: string): boolean {
  const tops = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/nix'];
  return ['/', '/tmp', '/opt', homedir()].includes(directory) || tops.some((top) => isWithin(top, directory));
}

/** What runs, and what the console is built with. */
const OF_A_CLONE = 'package.json package-lock.json tsconfig.json src dist migrations scripts node_modules'.split(' ');

/** In a package: the directory of all packages. In a clone: its parts; a worktree of it elsewhere is not the running code. */
function ownCode(): readonly string[] {
  const root = resolve(import.meta.dirname, '../../..');
  const packages = basename(dirname(root)) === 'node_modules' ? dirname(root) : null;
  if (packages !== null) return [packages];
  const parts = OF_A_CLONE.map((name) => join(root, name));
  return parts.filter((part) => existsSync(part));
}

/** With symlinks resolved for the part of the path that exists. */
export function realPathOf(path: string): string {
  try {
    return realpathSync.native(path);
  } catch {
    return path === dirname(path) ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
