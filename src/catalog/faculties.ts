/** Loads the faculties of a directory. */
import { readdirSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { AnimusError, fileFault } from '../core/errors/errors.ts';
import { listProblems, type Place, type Problem, problemAt } from '../core/errors/problem.ts';
import { readSmallFile } from '../core/files/regular-file.ts';
import type { Faculty } from './faculty/faculty.ts';
import { type FacultyReferences, readFaculty } from './read-faculty.ts';

/** The result of loading a directory of faculty files. */
export interface Faculties {
  /** By name, in order of file name. */
  readonly faculties: ReadonlyMap<string, Faculty>;
  /** All problems of all files. */
  readonly problems: readonly Problem[];
}

/**
 * Reads every `*.toml` directly in the directory. A file with problems yields no faculty and does not affect the others.
 * If several valid files have the same name, none is used, because animus would have to guess. Never throws because of
 * the files; a directory that cannot be read is a problem, too. `options` are the names that faculties may refer to.
 */
export function loadFaculties(directory: string, options: FacultyReferences): Faculties {
  const faculties = new Map<string, Faculty>();
  const problems: Problem[] = [];
  const sound = new Map<string, number>();
  const placesByName = new Map<string, Place[]>();
  for (const file of facultyFiles(resolve(directory), problems)) {
    const text = readText(file, problems);
    if (text === null) continue;
    const reading = readFaculty(file, text, options);
    problems.push(...reading.problems);
    if (reading.name !== null)
      placesByName.set(reading.name, [...(placesByName.get(reading.name) ?? []), reading.namePlace]);
    if (reading.faculty === null) continue;
    faculties.set(reading.faculty.name, reading.faculty);
    sound.set(reading.faculty.name, (sound.get(reading.faculty.name) ?? 0) + 1);
  }
  for (const [name, [first, ...others]] of placesByName) {
    for (const place of others) {
      const detail = `${JSON.stringify(name)} is also the name in ${first?.file}:${first?.line}; rename one of them`;
      // The name is a detail: a reload keeps the previous faculty of this name.
      problems.push(problemAt('config.conflict', place, { detail, name }));
    }
    if ((sound.get(name) ?? 0) > 1) faculties.delete(name);
  }
  return { faculties, problems };
}

/** One error with all problems, for callers that cannot continue with the valid faculties alone. */
export function facultiesError(problems: readonly Problem[]): AnimusError {
  return new AnimusError('faculty.invalid', { count: problems.length, problems: listProblems(problems) });
}

function facultyFiles(directory: string, problems: Problem[]): string[] {
  try {
    const names = readdirSync(directory).filter((name) => name.endsWith('.toml') && !name.startsWith('.'));
    return names.toSorted().map((name) => join(directory, name));
  } catch (error) {
    problems.push(unreadable(directory, error));
    return [];
  }
}

function readText(file: string, problems: Problem[]): string | null {
  try {
    return readSmallFile(file);
  } catch (error) {
    problems.push(unreadable(file, error));
    return null;
  }
}

function unreadable(file: string, error: unknown): Problem {
  return problemAt('config.unreadable', { file, line: null, key: null }, { detail: fileFault(error) });
}
