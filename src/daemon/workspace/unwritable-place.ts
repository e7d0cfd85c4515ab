/** Finds out whether a faculty can write where it works, before work is claimed for it. */
import { accessSync, constants, existsSync, statSync } from 'node:fs';
import { join } from 'node:path';
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import { runsAsOwner } from '../../process/isolation.ts';
import type { Isolation } from '../../process/process-host.ts';
import { runAsUser } from '../../process/runners/as-user.ts';
import type { User } from '../../process/runners/user.ts';
import { toolTable } from '../../tools/known-tools.ts';

/** A directory that a faculty has to write to, and cannot. */
export interface UnwritablePlace {
  /** Which key of the faculty names the directory. */
  readonly key: 'workspace' | 'repo';
  /** What cannot be written, why, and what to do. */
  readonly detail: string;
}

/**
 * The place of the faculty that cannot be written to; null if there is none. File tools write as the user of this process. Where
 * commands run as the owner of their directory (`isolation`), that user must be able to write, too: root could, and the
 * commands could not. A directory that does not exist is another problem, and not reported here.
 */
export function unwritablePlace(faculty: Faculty, isolation: Isolation): UnwritablePlace | null {
  const { workspace, repo } = faculty;
  const tools = faculty.engage.tools.filter((name) => toolTable().writing.includes(name));
  if (workspace !== null && tools.length > 0) return placeOf('workspace', workspace, tools.join(', '), isolation);
  // git keeps the branch and the entry of each worktree in the repository.
  if (faculty.isolation === 'worktree' && repo !== null)
    return placeOf('repo', gitDirectory(repo), 'git worktree', isolation);
  return null;
}

function placeOf(
  key: UnwritablePlace['key'],
  directory: string,
  who: string,
  isolation: Isolation,
): UnwritablePlace | null {
  if (!existsSync(directory)) return null;
  const why = refusalHere(directory) ?? (runsAsOwner(isolation) ? refusalOfOwner(directory) : null);
  if (why === null) return null;
  const remedy = key === 'workspace' ? REMEDY : 'make it writable, or give another repo';
  return { key, detail: `${who} cannot write to ${directory}: ${why}; ${remedy}` };
}

const REMEDY =
  'make it writable, or set workspace to a directory that is, or remove the tools that write from engage.tools';

/** Why this process cannot create files in the directory; null if it can. */
function refusalHere(directory: string): string | null {
  try {
    accessSync(directory, constants.W_OK | constants.X_OK);
    return null;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === 'EROFS') return 'its file system is mounted read-only';
    return `user ${process.getuid?.() ?? '?'} may not (${code}), it belongs to user ${statSync(directory).uid}`;
  }
}

/** Why the owner of the directory cannot; null if it can, or if the directory is root's, which the isolation itself refuses. */
function refusalOfOwner(directory: string): string | null {
  const { uid, gid } = statSync(directory);
  if (uid === 0 || process.getuid?.() !== 0 || mayWrite(directory, { uid, gid })) return null;
  return `commands run as its owner, user ${uid}, who may not write to it or may not enter a directory above it`;
}

/** Asks as that user, because only the kernel knows all rules: modes of all directories above, access lists, mounts. */
function mayWrite(directory: string, user: User): boolean {
  const answer = runAsUser('sh', ['-c', '[ -w "$1" ] && [ -x "$1" ] && echo yes', 'sh', directory], user);
  // Without an answer nothing is known.
  return answer === null || answer.trim() === 'yes';
}

/** A linked worktree has a file there; its repository is elsewhere, and git says what is wrong with that. */
function gitDirectory(repo: string): string {
  const inside = join(repo, '.git');
  return statSync(inside, { throwIfNoEntry: false })?.isDirectory() ? inside : repo;
}
