/** The files that the daemon loads or runs on this host: write access to them would be control over the daemon. */
import { existsSync, realpathSync, statSync } from 'node:fs';
import { homedir } from 'node:os';
import { basename, dirname, join, resolve } from 'node:path';
import type { Faculty } from '../../catalog/faculty.ts';
import type { Config } from '../../core/config/config.ts';
import type { Environment } from '../../core/config/environment.ts';
import { isWithin } from '../../process/file-rules.ts';

/** Where a daemon looks for files. */
export interface LoadedFrom {
  readonly config: Config;
  readonly env: Environment;
  /** Absolute. */
  readonly cwd: string;
  /** Absolute. */
  readonly facultiesDir: string;
}

/**
 * Real paths, also of what a start would read and that is not there now (animus.toml, faculties in the current directory):
 * the directory of the faculties; animus.toml; scripts of providers; the code of animus with its packages, its Node, and
 * the code that Node has compiled.
 */
export function loadedFiles({ config, env, cwd, facultiesDir }: LoadedFrom): readonly string[] {
  const scripts = [...config.providers.values()].flatMap((each) => (each.kind === 'scripted' ? [each.script] : []));
  const settings = [config.file ?? join(cwd, 'animus.toml'), facultiesDir];
  // The default applies only while the current directory has none.
  if (facultiesDir === join(config.home, 'faculties')) settings.push(join(cwd, 'faculties'));
  const cache = env['NODE_COMPILE_CACHE'] || join(env['XDG_CACHE_HOME'] || join(homedir(), '.cache'), 'animus');
  return [...settings, ...scripts, ...ownCode(), process.execPath, resolve(cwd, cache)].map(realPathOf);
}

/**
 * The faculty's files, as real paths. Files beside a hook may be part of it, so its whole directory counts, unless that
 * also contains a workspace, the faculties, or ANIMUS_HOME.
 */
export function filesOfFaculty({ file, files, workspace, repo }: Faculty, home: string): readonly string[] {
  const elsewhere = [workspace, repo, home, process.cwd(), dirname(dirname(file))];
  const places = elsewhere.filter((place) => place !== null).map(realPathOf);
  return [file, ...files].map(realPathOf).map((path) => {
    const directory = dirname(path);
    const holdsMore = places.some((place) => isWithin(directory, place));
    const isScript = statSync(path, { throwIfNoEntry: false })?.isFile() ?? false;
    return isScript && !holdsMore && !isSystem(directory) ? directory : path;
  });
}

/** These contain too much else, and most of it belongs to root. */
function isSystem(directory: string): boolean {
  const tops = ['/usr', '/bin', '/sbin', '/lib', '/lib64', '/etc', '/nix'];
  return ['/', '/tmp', '/opt', homedir()].includes(directory) || tops.some((top) => isWithin(top, directory));
}

/** In a package: the directory of all packages. In a clone: its parts; a worktree of it elsewhere is not the running code. */
function ownCode(): readonly string[] {
  const root = resolve(import.meta.dirname, '../../..');
  const packages = basename(dirname(root)) === 'node_modules' ? dirname(root) : null;
  if (packages !== null) return [packages];
  const parts = ['package.json', 'src', 'dist', 'migrations', 'node_modules'].map((name) => join(root, name));
  return parts.filter((part) => existsSync(part));
}

/** With symlinks resolved for the part of the path that exists. */
export function realPathOf(path: string): string {
  try {
    return realpathSync(path);
  } catch {
    return path === dirname(path) ? path : join(realPathOf(dirname(path)), basename(path));
  }
}
