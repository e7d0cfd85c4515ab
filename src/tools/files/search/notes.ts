/** What ripgrep says on its standard error: what is ignored, what it could not read, what it did not understand. */
import type { Readable } from 'node:stream';
import { records } from './records.ts';

/** The version of ripgrep is pinned: the form of these lines may change with it (tests/tools/files/search/left-out.test.ts). */
const IGNORING = /^rg: DEBUG\|ignore::walk\|[^|]*: ignoring \.\/(.+): Ignore\(IgnoreMatch\((?:Gitignore|Override)\(/;
/** The only glob of ours by which a search leaves something out that may be asked for. */
export const GENERATED = '!**/node_modules';
const UNREAD = /^rg: \.\/(.+): (.+)$/;
/** More are not listed; a note says so by `manyIgnored`. */
const MAX_IGNORED = 1000;
const MAX_UNREAD = 10;
const MAX_REFUSED_CHARS = 1000;

export interface Notes {
  /** Files and directories that ignore files or GENERATED leave out, relative to the place; nothing below them is listed. */
  readonly ignored: readonly string[];
  readonly manyIgnored: boolean;
  /** What could not be read, by its path below the place; `unreadCount` counts all. */
  readonly unread: readonly { readonly below: string; readonly why: string }[];
  readonly unreadCount: number;
  /** What was wrong with the arguments, such as the pattern. */
  readonly refused: string | null;
}

/** Reads to the end. Of any number of lines, only a bounded part is kept. */
export async function readNotes(stderr: Readable): Promise<Notes> {
  const ignored: string[] = [];
  const unread: { below: string; why: string }[] = [];
  let unreadCount = 0;
  let refused = '';
  // A message may have several lines.
  let isDebug = false;
  for await (const line of records(stderr, '\n')) {
    if (line.startsWith('rg: ')) isDebug = line.startsWith('rg: DEBUG|');
    if (isDebug) {
      const path = ignoredIn(line);
      if (path !== null && ignored.length <= MAX_IGNORED) ignored.push(path);
      continue;
    }
    const [, below, why] = UNREAD.exec(line) ?? [];
    if (below !== undefined && why !== undefined) {
      unreadCount++;
      if (unread.length < MAX_UNREAD) unread.push({ below, why });
    } else if (refused.length < MAX_REFUSED_CHARS) refused += `${line.replace(/^rg: /, '')}\n`;
  }
  return {
    ignored: ignored.slice(0, MAX_IGNORED),
    manyIgnored: ignored.length > MAX_IGNORED,
    unread,
    unreadCount,
    refused: refused === '' ? null : refusalFrom(refused.trim().slice(0, MAX_REFUSED_CHARS)),
  };
}

/** Of a wrong pattern, both engines give an account; PCRE2's is the one that knows all that a pattern may contain. */
function refusalFrom(said: string): string {
  const reason = /^PCRE2: error compiling pattern at offset \d+: (.+)$/m.exec(said)?.[1];
  return reason === undefined ? `ripgrep: ${said}` : `the pattern is not a valid regular expression: ${reason}`;
}

function ignoredIn(line: string): string | null {
  const path = IGNORING.exec(line)?.[1];
  if (path === undefined) return null;
  const isOurs = line.includes('Override(');
  return isOurs && !line.includes(`original: "${GENERATED}"`) ? null : path;
}
