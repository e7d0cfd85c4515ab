/** The files that no focus of this host may write, as real paths: what the daemon loads or runs. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { Clock } from '../../core/lifecycle/clock.ts';
import { effectiveRules } from '../../process/file-rules.ts';
import {
  credentialPrograms,
  filesOfFaculty,
  type LoadedFrom,
  loadedFiles,
  realPathOf,
  withDirectory,
} from './loaded-files.ts';

/** Where a daemon looks for files, and the faculties that it has loaded: another map when they have changed. */
export interface LoadedNow extends LoadedFrom {
  readonly faculties: () => ReadonlyMap<string, Faculty>;
  readonly clock: Pick<Clock, 'monotonicMs'>;
}

/**
 * How long resolved paths count. After that they are resolved again when they are asked for: a link on the way to a script may lead elsewhere, and a missing script may be
 * there. Until then an agent can write what it could write a moment before the change, and nothing more.
 */
const LOOK_AGAIN_MS = 1000;

/** Returns the paths without those below another one; the same array as long as nothing has changed, however often it is asked for. */
export function readOnlyPaths(from: LoadedNow): () => readonly string[] {
  const fixed = loadedFiles(from);
  const programs = credentialPrograms(from.config);
  let of: ReadonlyMap<string, Faculty> | null = null;
  let lookedAtMs = 0;
  let paths: readonly string[] = [];

  return () => {
    const faculties = from.faculties();
    const nowMs = from.clock.monotonicMs();
    if (faculties === of && nowMs - lookedAtMs < LOOK_AGAIN_MS) return paths;
    const found = look([...faculties.values()]);
    if (found.length !== paths.length || found.some((path, index) => path !== paths[index])) paths = found;
    of = faculties;
    lookedAtMs = nowMs;
    return paths;
  };

  function look(faculties: readonly Faculty[]): readonly string[] {
    const { home } = from.config;
    const places = [home, from.cwd, from.facultiesDir, ...faculties.flatMap((each) => [each.workspace, each.repo])];
    const realPlaces = [...new Set(places)].filter((path) => path !== null).map(realPathOf);
    const all = [
      ...fixed,
      ...programs.map((path) => withDirectory(realPathOf(path), realPlaces)),
      ...faculties.flatMap((each) => filesOfFaculty(each, home)),
    ];
    return effectiveRules(all.map((path) => ({ path, access: 'read' }))).map(({ path }) => path);
  }
}
