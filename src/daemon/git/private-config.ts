/**
 * The configuration of a private repository. It is written by the daemon, never taken over as a file: of the operator's configuration
 * it has what describes files and remotes, and of the agent's what a later attempt needs. Neither can name a program for people or the daemon to run.
 */
import type { Setting } from './git.ts';

/** What the private repository of an item is made with. */
export interface PrivateSettings {
  /** The operator's configuration of the repository (`readSettings`). */
  readonly operator: readonly Setting[];
  /** Who commits in it. */
  readonly author: { readonly name: string; readonly email: string };
  /** Where its hooks are; null: it has none. */
  readonly hooksPath: string | null;
}

/** Of the operator's configuration. Filters are for the commands of the agent; the daemon's git switches them off. */
const COPIED = [
  /^core\.(filemode|ignorecase|precomposeunicode|symlinks|autocrlf|eol|safecrlf|bigfilethreshold|quotepath|protecthfs|protectntfs|longpaths|checkstat|trustctime)$/,
  /^extensions\.(objectformat|partialclone)$/,
  /^remote\..+\.(url|pushurl|fetch|tagopt|promisor|partialclonefilter)$/,
  /^url\..+\.(insteadof|pushinsteadof)$/,
  /^branch\..+\.(remote|merge|pushremote)$/,
  /^submodule\..+\.(url|active|branch)$/,
  /^filter\..+\.(clean|smudge|process|required)$/,
  /^lfs\.(url|pushurl|fetchinclude|fetchexclude)$/,
] as const;

/** Of what the agent configured: nothing that is run. */
const KEPT = [
  /^remote\..+\.(url|fetch)$/,
  /^branch\..+\.(remote|merge)$/,
  /^submodule\..+\.(url|active|branch)$/,
] as const;

/**
 * The text of the configuration. `open`: while an agent works in it. Otherwise a person may run git there, and git must not run in submodules, whose
 * configuration the agent wrote.
 */
export function privateConfig(
  { operator, author, hooksPath }: PrivateSettings,
  { open, agent = [] }: { readonly open: boolean; readonly agent?: readonly Setting[] },
): string {
  const copied = operator.filter(([key]) => COPIED.some((pattern) => pattern.test(key)));
  const known = new Set(copied.map(([key]) => key));
  const kept = agent.filter(([key]) => !known.has(key) && KEPT.some((pattern) => pattern.test(key)));
  const settings: readonly Setting[] = [
    ['core.repositoryformatversion', copied.some(([key]) => key.startsWith('extensions.')) ? '1' : '0'],
    ['core.bare', 'false'],
    ['core.logallrefupdates', 'true'],
    ...(open && hooksPath !== null ? [['core.hooksPath', hooksPath] as const] : []),
    ...(open ? [] : [['diff.ignoreSubmodules', 'all'] as const]),
    // Objects that the repository borrows are not its own to prune.
    ['gc.auto', '0'],
    ['user.name', author.name],
    ['user.email', author.email],
    ...copied,
    ...kept,
  ];
  return settings.map(line).join('');
}

/** Parses the output of `git config --null --list`. A key without a value is `true`. */
export function parseSettings(listed: string): readonly Setting[] {
  return listed
    .split('\0')
    .filter((entry) => entry !== '')
    .map((entry): Setting => {
      const end = entry.indexOf('\n');
      return end < 0 ? [entry, 'true'] : [entry.slice(0, end), entry.slice(end + 1)];
    });
}

function line([key, value]: Setting): string {
  const [first, last] = [key.indexOf('.'), key.lastIndexOf('.')];
  const section = key.slice(0, first);
  const sub = first === last ? '' : ` ${quoted(key.slice(first + 1, last))}`;
  return `[${section}${sub}]\n\t${key.slice(last + 1)} = ${quoted(value)}\n`;
}

/** As git reads a value in quotes. A subsection with a newline cannot be written, and git never lists one. */
function quoted(text: string): string {
  const escaped = text.replaceAll('\\', '\\\\').replaceAll('"', '\\"').replaceAll('\n', '\\n').replaceAll('\t', '\\t');
  return `"${escaped}"`;
}
