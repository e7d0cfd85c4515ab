/** Whether a pattern over paths matches a path. */
import { isAbsolute, posix, relative } from 'node:path';
import { Minimatch } from 'minimatch';
import { GLOB_OPTIONS, MAX_ALTERNATIVES } from '../../text/globs.ts';
import { remembered } from '../../text/remembered.ts';
import { folded } from '../text/wildcard.ts';

/** True if the path, as it is written, is one that the pattern allows: it is compared letter for letter. */
export function pathAllowed(pattern: string, path: string, workspace: string | null): boolean {
  return formsOf(path, workspace, isAbsolute(pattern)).some((form) => matches(globOf(pattern, false), form));
}

/**
 * True if the path may be one of the pattern, or is the directory whose content the pattern fits. Some file systems know neither case nor the
 * ways to write an accent, so neither counts.
 */
export function pathTouched(pattern: string, path: string, workspace: string | null): boolean {
  const glob = globOf(pattern, true);
  return formsOf(path, workspace, isAbsolute(pattern)).some(
    (form) => matches(glob, folded(form)) || glob.match(form === '.' ? ANY_NAME : `${folded(form)}/${ANY_NAME}`),
  );
}

/** True if the pattern may fit something below the directory, at any depth. */
export function pathMayBeBelow(pattern: string, directory: string, workspace: string | null): boolean {
  const parts = folded(relativePattern(pattern)).split('/');
  const named = parts.findIndex((part) => /[*?[{\\]/.test(part));
  const fixed = named < 0 ? parts : parts.slice(0, named);
  return formsOf(directory, workspace, isAbsolute(pattern)).some((form) => {
    const above = form === '.' ? [] : folded(form).replace(/\/$/, '').split('/');
    return above.every((part, at) => at >= fixed.length || part === fixed[at]);
  });
}

/** The workspace itself has no name that a star could fit. */
function matches(glob: Minimatch, form: string): boolean {
  return form === '.' ? glob.pattern === '**' : glob.match(form);
}

/** Why no path can match the pattern, for the person who wrote it; null if one can. */
export function pathPatternProblem(pattern: string): string | null {
  const parts = pattern.replace(/^\//, '').split('/');
  if (parts.includes('..') || parts.includes('.')) return 'paths are compared without "." and ".."';
  if (parts.includes('')) return 'paths are compared without a "/" at the end, and without two in a row';
  if (pattern.startsWith('~')) return 'a path begins at the workspace or with "/"; "~" is not expanded';
  const { set } = globOf(pattern, false);
  if (set.length > MAX_ALTERNATIVES) return `it has more than ${MAX_ALTERNATIVES} alternatives in braces`;
  return set.length === 0 ? 'it is empty' : null;
}

/** True if every path that `narrow` fits is one that `wide` fits, as far as that can be seen without trying paths. */
export function pathCovers(wide: string, narrow: string): boolean {
  if (wide === narrow) return true;
  return !/[{[?\\]/.test(narrow) && isAbsolute(wide) === isAbsolute(narrow) && globOf(wide, false).match(narrow);
}

/** The path from the root, or from the workspace, normalized; none if it is not in the workspace, or no path. Without a workspace, only the one that is written. */
function formsOf(path: string, workspace: string | null, fromRoot: boolean): readonly string[] {
  if (path.includes('\0')) return [];
  const written = posix.normalize(path).replace(/(?<=.)\/$/, '');
  const absolute = isAbsolute(written) ? written : workspace === null ? null : posix.join(workspace, written);
  if (fromRoot) return absolute === null ? [] : [absolute];
  const inside = workspace === null || absolute === null ? written : relative(workspace, absolute) || '.';
  return inside === '..' || inside.startsWith('../') || isAbsolute(inside) ? [] : [inside];
}

/** A name that no pattern names: only a star fits it. */
const ANY_NAME = '\u0001';

function globOf(pattern: string, fold: boolean): Minimatch {
  return (fold ? foldedGlob : plainGlob)(pattern);
}

// A relative pattern is one of the workspace; `./` before it says the same.
const relativePattern = (pattern: string) => pattern.replace(/^(\.\/)+/, '');
const plainGlob = remembered((pattern) => new Minimatch(relativePattern(pattern), GLOB_OPTIONS));
const foldedGlob = remembered((pattern) => new Minimatch(folded(relativePattern(pattern)), GLOB_OPTIONS));
