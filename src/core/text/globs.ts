/** How globs are read, in rules and by the file tools. */

/** The most alternatives that the braces of a glob may have. */
export const MAX_ALTERNATIVES = 256;

/** Hidden names are like all others. */
export const GLOB_OPTIONS = {
  dot: true,
  // `#`, `!` and `+(…)` are ordinary characters.
  nocomment: true,
  nonegate: true,
  noext: true,
  // A backslash takes the next character literally, on every platform.
  platform: 'linux',
  braceExpandMax: MAX_ALTERNATIVES + 1,
} as const;
