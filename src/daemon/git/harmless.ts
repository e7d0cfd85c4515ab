/** Keeps git from running a program, prompting or fetching, whatever a configuration says. */

/** Overrides all configuration: of the repository, the user and the system. */
const HARMLESS: readonly (readonly [key: string, value: string])[] = [
  ['core.hooksPath', '/dev/null'],
  ['core.fsmonitor', 'false'],
  ['core.untrackedCache', 'false'],
  ['core.attributesFile', '/dev/null'],
  ['core.excludesFile', '/dev/null'],
  ['core.alternateRefsCommand', 'false'],
  ['core.sshCommand', 'false'],
  ['core.askPass', ''],
  ['core.pager', 'cat'],
  ['core.editor', 'false'],
  ['credential.helper', ''],
  ['protocol.allow', 'never'],
  ['commit.gpgSign', 'false'],
  ['diff.external', ''],
  // A submodule is a separate repository, with a configuration that an agent may have written: git must not run in it (`look-at-submodules.ts`).
  ['submodule.recurse', 'false'],
  ['diff.ignoreSubmodules', 'dirty'],
  ['status.submoduleSummary', 'false'],
  ['gc.auto', '0'],
  ['maintenance.auto', 'false'],
  ['worktree.useRelativePaths', 'false'],
  ['advice.detachedHead', 'false'],
  // The operator named the repository, so any owner is accepted.
  ['safe.directory', '*'],
];

/** The environment of a git that works on this directory. `off`: further configuration that it has. */
export function harmlessEnvironment(
  gitDir: string,
  off: readonly (readonly [key: string, value: string])[] = [],
): Record<string, string> {
  // Configuration as variables: a key may contain `=`, which would end it in `-c`.
  const settings = [...HARMLESS, ...off].flatMap(([key, value], index) => [
    [`GIT_CONFIG_KEY_${index}`, key],
    [`GIT_CONFIG_VALUE_${index}`, value],
  ]);
  return {
    HOME: '/nonexistent',
    LANG: 'C',
    GIT_DIR: gitDir,
    GIT_CONFIG_NOSYSTEM: '1',
    GIT_CONFIG_GLOBAL: '/dev/null',
    GIT_ATTR_NOSYSTEM: '1',
    GIT_CONFIG_COUNT: String(HARMLESS.length + off.length),
    ...(Object.fromEntries(settings) as Record<string, string>),
    // No protocol is allowed, not even the local one: a missing object is an error, and nothing is fetched.
    GIT_ALLOW_PROTOCOL: '',
    GIT_NO_LAZY_FETCH: '1',
    // Ignores refs/replace: an agent could write one to change what a commit contains.
    GIT_NO_REPLACE_OBJECTS: '1',
    GIT_OPTIONAL_LOCKS: '0',
    GIT_TERMINAL_PROMPT: '0',
  };
}
