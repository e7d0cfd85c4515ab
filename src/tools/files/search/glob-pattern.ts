/** Glob patterns from a model. No pattern may stall the daemon. */
import { Minimatch } from 'minimatch';
import { GLOB_OPTIONS, MAX_ALTERNATIVES } from '../../../core/text/globs.ts';
import { type Refusal, refuse } from '../refusal.ts';

/** True if a path (relative, with `/`) matches. */
export type GlobMatcher = (path: string) => boolean;

/**
 * Understands `*` and `?` within a name, `**` for any number of directories, `[a-z]`, `[!a-z]`, `{one,two}` and `{1..9}`; a
 * backslash takes the next character literally. A pattern without `/` matches names at any depth. Hidden files match
 * like all others.
 */
export function compileGlob(pattern: string): GlobMatcher | Refusal {
  // Minimatch goes through stars without backtracking; path.matchesGlob and picomatch took minutes for 25 of them.
  const glob = new Minimatch(pattern.replace(/^(\.?\/)+/, ''), { ...GLOB_OPTIONS, matchBase: true });
  if (glob.set.length > MAX_ALTERNATIVES)
    return refuse(`the pattern has more than ${MAX_ALTERNATIVES} alternatives in braces; use a simpler one`);
  return (path) => glob.match(path);
}

/** The names that the last part of a glob matches, as a glob of ripgrep; null if the two might read it differently, or if it is any name. */
export function nameGlob(pattern: string): string | null {
  const last = pattern.split('/').at(-1)!;
  const isPlain = /^(?:[\p{L}\p{N}_.\-*? ]|\{[\p{L}\p{N}_.\-*?]*(?:,[\p{L}\p{N}_.\-*?]*)+\})+$/u.test(last);
  return isPlain && last !== '*' && !last.includes('**') && !last.includes('..') ? last : null;
}
