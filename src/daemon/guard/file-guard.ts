/** The file rules that apply to commands and file tools of a focus, whatever its workspace is. */
import { existsSync } from 'node:fs';
import { basename, dirname, join } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import { effectiveRules, type FileRule, isWithin } from '../../process/file-rules.ts';
import type { Log } from '../../telemetry/log.ts';
import { cachesOf, homeOf } from './command-places.ts';
import { knowFiles } from './known-files.ts';
import {
  credentialPrograms,
  filesOfFaculty,
  type LoadedFrom,
  loadedFiles,
  realPathOf,
  withDirectory,
} from './loaded-files.ts';
import { secretPlaces } from './secret-files.ts';

/** Where a focus works: its own directory, and the workspace of the loaded faculty. */
export interface FocusPlace {
  readonly directory: string;
  readonly faculty: Faculty;
  /** Paths of secrets that it may read nevertheless: those given to hooks. */
  readonly given?: readonly string[];
  /** Additional rules for its worktree. */
  readonly own?: readonly FileRule[];
}

export interface FileGuard {
  /**
   * The current rules: key files may have been replaced since the last call. Hidden: secrets, and all of ANIMUS_HOME
   * except the focus's own directory, its home and the caches of its faculty. Read-only: what the daemon loads or runs. The workspace stays writable, unless it is
   * itself a secret. Errors: `files.displaced`.
   */
  rulesFor(place: FocusPlace): readonly FileRule[];
  close(): void;
}

/** Records the secrets as they are now. `faculties`: returns those loaded at the time of the call. */
export function createFileGuard(
  from: LoadedFrom & { readonly faculties: () => Iterable<Faculty>; readonly log: Log },
): FileGuard {
  const { secrets, sockets, readable } = secretPlaces(from.config, from.env);
  const known = knowFiles(secrets);
  const loaded = loadedFiles(from);
  const programs = credentialPrograms(from.config);
  const besideOf = realPathsBelow();

  return {
    rulesFor({ directory, faculty, given = [], own = [] }) {
      const beside = [homeOf(directory), ...cachesOf(faculty, from.config.home).values()].map(besideOf);
      const worked = [directory, faculty.workspace, faculty.repo].filter((path) => path !== null).map(realPathOf);
      const open = [...worked, ...beside];
      const all = [...from.faculties(), faculty];
      const places = [...placesOf(from), ...all.flatMap((each) => [each.workspace, each.repo])];
      const realPlaces = places.filter((path) => path !== null).map(realPathOf);
      const readOnly = [
        ...loaded,
        ...programs.map((path) => withDirectory(realPathOf(path), realPlaces)),
        ...all.flatMap((each) => filesOfFaculty(each, from.config.home)),
      ];
      const shown = given.map(realPathOf);
      const hidden = [...hiddenNow(), ...sockets.filter((path) => existsSync(path)).map(realPathOf)];
      const rules: readonly FileRule[] = [
        ...hidden.filter((path) => !shown.includes(path)).map((path) => rule(path, 'hidden')),
        ...readOnly.filter((path) => !isTop(path)).map((path) => rule(path, 'read')),
        ...[...readable.map(realPathOf), ...shown]
          .filter((path) => existsSync(path) && hidden.some((top) => isWithin(top, path)))
          .map((path) => rule(path, 'read')),
        ...open.map((path) => rule(path, 'all')),
        ...own,
      ];
      return effectiveRules(rules);
    },
    close: () => known.close(),
  };

  function hiddenNow(): readonly string[] {
    try {
      return known.realPaths();
    } catch (error) {
      if (isAnimusError(error, 'files.displaced')) from.log.error(error.details, error.message);
      throw error;
    }
  }
}

/**
 * Real paths of homes and caches, most of which are not there when they are asked for, for each call of a tool. Their parents are animus's own and
 * do not change, so each is looked up once.
 */
function realPathsBelow(): (path: string) => string {
  const parents = new Map<string, string>();
  return (path) => {
    const parent = dirname(path);
    const real = parents.get(parent) ?? realPathOf(parent);
    parents.set(parent, real);
    return join(real, basename(path));
  };
}

/** Directories that contain more than the scripts in them. */
function placesOf({ config, cwd, facultiesDir }: LoadedFrom): readonly string[] {
  return [config.home, cwd, facultiesDir];
}

function rule(path: string, access: FileRule['access']): FileRule {
  return { path, access };
}

/** The root of the file system contains everything; a rule for it would be useless. */
function isTop(path: string): boolean {
  return path === realPathOf('/');
}
