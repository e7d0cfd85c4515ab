/** Glob patterns from a model. No pattern may stall the daemon. */
import { Minimatch, type MinimatchOptions } from 'minimatch';
import { type Refusal, refuse } from '../refusal.ts';

/** True if a path (relative, with `/`) matches. */
export type GlobMatcher = (path: string) => boolean;

const MAX_ALTERNATIVES = 256;

const OPTIONS: MinimatchOptions = {
  dot: true,
  // A pattern without `/` matches names at any depth.
  matchBase: true,
  // `#`, `!` and `+(…)` are ordinary characters.
  nocomment: true,
  nonegate: true,
  noext: true,
  // A backslash takes the next character literally, on every platform.
  platform: 'linux',
  braceExpandMax: MAX_ALTERNATIVES + 1,
};

/**
 * Understands `*` and `?` within a name, `**` for any number of directories, `[a-z]`, `[!a-z]`, `{one,two}` and `{1..9}`; a
 * backslash takes the next character literally. A pattern without `/` matches names at any depth. Hidden files match
 * like all others.
 */
export function compileGlob(pattern: string): GlobMatcher | Refusal {
  // Minimatch goes through stars without backtracking; path.matchesGlob and picomatch took minutes for 25 of them.
  const glob = new Minimatch(pattern.replace(/^(\.?\/)+/, ''), OPTIONS);
  if (glob.set.length > MAX_ALTERNATIVES)
    return refuse(`the pattern has more than ${MAX_ALTERNATIVES} alternatives in braces; use a simpler one`);
  return (path) => glob.match(path);
}
