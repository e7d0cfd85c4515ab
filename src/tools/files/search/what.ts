/** What a search looks for, as options of ripgrep. */
import { isRefusal, type Refusal } from '../refusal.ts';
import type { GrepAsked } from './asked.ts';
import { compileGlob, type GlobMatcher, nameGlob } from './glob-pattern.ts';
import { GENERATED } from './notes.ts';

/** Which files to search, as options, and by their paths below the place. */
export interface Which {
  readonly options: readonly string[];
  readonly matches: GlobMatcher;
}

/** Options of the pattern. The engine of PCRE2 is used where a pattern needs it: it has limits of its own against endless backtracking. */
export function patternOptions({
  pattern,
  ignoreCase,
  multiline,
}: Pick<GrepAsked, 'pattern' | 'ignoreCase' | 'multiline'>): readonly string[] {
  return [
    '--engine=auto',
    '--crlf',
    '--binary',
    ...(ignoreCase ? ['--ignore-case'] : []),
    // Without it, the engine of PCRE2 would take a pattern with a line break and never find it.
    ...(multiline || pattern.includes('\\n') || pattern.includes('\n') ? ['--multiline'] : []),
    '--regexp',
    pattern,
  ];
}

/** Options for ignored and generated files. */
export function ignoreOptions(ignored: boolean): readonly string[] {
  return ignored ? ['--no-ignore'] : ['--glob', GENERATED];
}

/**
 * Which files a glob and a type select. ripgrep's own globs would bring back what is ignored, so it gets them as a type: the names that the last
 * part of the glob matches. The rest of the path is compared here.
 */
export function whichFiles({ glob, type }: Pick<GrepAsked, 'glob' | 'type'>): Which | Refusal {
  const typed = type === undefined ? [] : ['--type', type];
  if (glob === undefined) return { options: typed, matches: () => true };
  const matches = compileGlob(glob);
  if (isRefusal(matches)) return matches;
  const names = nameGlob(glob);
  // Two types are alternatives: a glob together with a type is compared here alone.
  if (names === null || type !== undefined) return { options: typed, matches };
  return { options: ['--type-add', `animus:${names}`, '--type', 'animus'], matches };
}
