/** Moves the branch of an item in the operator's repository to what was handed over, without touching what a person did with it. */

import type { GitWriter } from '../git/git.ts';
import { readGit, writeGit } from '../git/repository-writes.ts';
import type { Worktree } from './worktree.ts';

/** What the operator's repository had of a worktree when it was read. */
export interface PlacedRefs {
  /** The branches that may be its own, by name. */
  readonly branches: ReadonlyMap<string, Branch>;
  /** The commit that the daemon put one of them at last. */
  readonly at: string | null;
  /** Full names of the refs with what was handed over. */
  readonly handed: readonly string[];
}

/**
 * Returns the name of the branch that has the commit now: the one that is still where it was handed over last, if it is checked out nowhere, otherwise
 * the first free one of `animus/…`, `-2`, `-3`, …. An item that changed nothing gets no branch. Errors: `worktree.failed`.
 */
export async function placeBranch(
  { origin, names, base }: Worktree,
  tip: string,
  { branches, at }: PlacedRefs,
  git: GitWriter,
): Promise<string> {
  const there = [...branches].find(([, { commit }]) => commit === tip);
  if (there !== undefined) return there[0];
  const ours = [...branches].find(([, { commit, checkedOut }]) => commit === at && !checkedOut);
  if (ours === undefined && tip === base) return names.branch;
  const name = ours?.[0] ?? firstFree(names.branch, branches);
  // Refused where somebody moved or made it meanwhile.
  const old = ours?.[1].commit ?? '0'.repeat(tip.length);
  const stdin = `update refs/heads/${name} ${tip} ${old}\nupdate ${names.placed} ${tip}\n`;
  await writeGit(origin.place, ['update-ref', '-m', 'animus: hand over', '--stdin'], git, { stdin, isLast: true });
  return name;
}

interface Branch {
  readonly commit: string;
  readonly checkedOut: boolean;
}

function firstFree(branch: string, taken: ReadonlyMap<string, Branch>): string {
  for (let n = 2; ; n++) {
    const name = n === 2 && !taken.has(branch) ? branch : `${branch}-${n}`;
    if (!taken.has(name)) return name;
  }
}

/** Reads them. Errors: `worktree.failed`. */
export async function readPlaced({ origin, names }: Worktree, git: GitWriter): Promise<PlacedRefs> {
  const format = '--format=%(objectname) %(refname)%00%(worktreepath)%00';
  const patterns = [`refs/heads/${names.branch}`, `refs/heads/${names.branch}-*`, names.placed, names.handed];
  // A path may contain newlines, so it is between two NULs.
  const fields = (await readGit(origin.place, ['for-each-ref', format, ...patterns], git)).split('\0');
  const branches = new Map<string, Branch>();
  const handed: string[] = [];
  let at: string | null = null;
  for (let n = 0; n + 1 < fields.length; n += 2) {
    const [commit = '', ref = ''] = fields[n]!.trim().split(' ', 2);
    if (ref === names.placed) at = commit;
    else if (ref.startsWith(names.handed)) handed.push(ref);
    else branches.set(ref.slice('refs/heads/'.length), { commit, checkedOut: fields[n + 1] !== '' });
  }
  return { branches, at, handed };
}
