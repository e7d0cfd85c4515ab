/** The file rules that apply to commands and file tools of a focus, whatever its workspace is. */
import { existsSync } from 'node:fs';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { isAnimusError } from '../../core/errors/errors.ts';
import { effectiveRules, type FileRule, isWithin } from '../../process/file-rules.ts';
import type { Log } from '../../telemetry/log.ts';
import { cachesOf, homeOf } from './command-places.ts';
import { knowFiles } from './known-files.ts';
import { filesOfFaculty, realPathOf } from './loaded-files.ts';
import { type LoadedNow, readOnlyPaths } from './read-only-paths.ts';
import { secretPlaces } from './secret-files.ts';

/** Where a focus works: its own directory, and the workspace of the loaded faculty. */
export interface FocusPlace {
  /** Null: for what the daemon itself runs, which uses neither it nor the home of a focus. */
  readonly directory: string | null;
  readonly faculty: Faculty;
  /** Additional rules for its worktree. */
  readonly own?: readonly FileRule[];
}

/**
 * The current restrictions on files of this host, for commands and file tools; `given`: secret files that a hook may read
 * nevertheless. The same array as long as nothing has changed. Errors: `files.displaced`.
 */
export type RulesNow = (given?: readonly string[]) => readonly FileRule[];

export interface FileGuard {
  /**
   * The rules of a focus, to be asked for at each call: key files may have been replaced since the last one. Hidden: secrets, and all of ANIMUS_HOME
   * except the focus's own directory, its home and the caches of its faculty. Read-only: what the daemon loads or runs. The workspace stays writable, unless it is
   * itself a secret. What a call costs does not grow with the number of faculties.
   */
  rulesOf(place: FocusPlace): RulesNow;
  close(): void;
}

/** Records the secrets as they are now. */
export function createFileGuard(from: LoadedNow & { readonly log: Log }): FileGuard {
  const { secrets, sockets, readable } = secretPlaces(from.config, from.env);
  const { home } = from.config;
  const known = knowFiles(secrets);
  const readOnlyNow = readOnlyPaths(from);

  return {
    rulesOf({ directory, faculty, own = [] }) {
      const isLoaded = () => from.faculties().get(faculty.name)?.files === faculty.files;
      let open: readonly FileRule[] | null = null;
      let last: { readonly seen: readonly (readonly string[])[]; readonly rules: readonly FileRule[] } | null = null;

      return (given = []) => {
        const hidden = [...hiddenNow(), ...sockets.filter((path) => existsSync(path)).map(realPathOf)];
        const shown = given.map(realPathOf);
        const exempt = [...readable.map(realPathOf), ...shown].filter((path) => existsSync(path));
        const readOnly = readOnlyNow();
        // Of a focus that has outlived a reload.
        const mine = isLoaded() ? [] : filesOfFaculty(faculty, home);
        const seen = [hidden, shown, exempt, mine, readOnly];
        if (last?.seen.every((list, index) => isSame(list, seen[index]!))) return last.rules;
        open ??= placesOf(directory, faculty, home).map((path) => rule(path, 'all'));
        const rules = effectiveRules([
          ...hidden.filter((path) => !shown.includes(path)).map((path) => rule(path, 'hidden')),
          ...[...readOnly, ...mine].filter((path) => path !== TOP).map((path) => rule(path, 'read')),
          ...exempt.filter((path) => hidden.some((top) => isWithin(top, path))).map((path) => rule(path, 'read')),
          ...open,
          ...own,
        ]);
        last = { seen, rules };
        return rules;
      };
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

/** The root of the file system contains everything; a rule for it would be useless. */
const TOP = '/';

/** Where a focus may write: what it works in, its home and the caches of its faculty. Resolved once, before anything of the focus runs. */
function placesOf(directory: string | null, faculty: Faculty, home: string): readonly string[] {
  const { workspace, repo } = faculty;
  const own = directory === null ? [] : [directory, homeOf(directory), ...cachesOf(faculty, home).values()];
  return [workspace, repo, ...own].filter((path) => path !== null).map(realPathOf);
}

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a === b || (a.length === b.length && a.every((path, index) => path === b[index]));
}

function rule(path: string, access: FileRule['access']): FileRule {
  return { path, access };
}
