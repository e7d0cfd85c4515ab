/** Moves the branch of an item in the operator's repository to what was handed over, without touching what a person did with it. */

import type { GitWriter } from '../git/git.ts';
import { readGit, writeGit } from '../git/repository-writes.ts';
import type { Worktree } from './worktree.ts';

/**
 * Returns the name of the branch that has the commit now: the one that is still where it was handed over last, if it is checked out nowhere, otherwise
 * the first free one of `animus/…`, `-2`, `-3`, …. An item that changed nothing gets no branch. Errors: `worktree.failed`.
 */
export async function placeBranch(worktree: Worktree, tip: string, git: GitWriter): Promise<string> {
  const { origin, names, base } = worktree;
  const { branches, placed } = await readBranches(worktree, git);
  const there = [...branches].find(([, { commit }]) => commit === tip);
  if (there !== undefined) return there[0];
  const ours = [...branches].find(([, { commit, checkedOut }]) => commit === placed && !checkedOut);
  if (ours === undefined && tip === base) return names.branch;
  const name = ours?.[0] ?? firstFree(names.branch, branches);
  // Refused where somebody moved or made it meanwhile.
  const old = ours?.[1].commit ?? '0'.repeat(tip.length);
  const stdin = `update refs/heads/${name} ${tip} ${old}\nupdate ${names.placed} ${tip}\n`;
  await writeGit(origin.place, ['update-ref', '-m', 'animus: hand over', '--stdin'], git, { stdin });
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

/** The branches of the item by name, and the commit that the daemon put one of them at last. */
async function readBranches({ origin, names }: Worktree, git: GitWriter) {
  const format = '--format=%(objectname) %(refname)%00%(worktreepath)%00';
  const patterns = [`refs/heads/${names.branch}`, `refs/heads/${names.branch}-*`, names.placed];
  // A path may contain newlines, so it is between two NULs.
  const fields = (await readGit(origin.place, ['for-each-ref', format, ...patterns], git)).split('\0');
  const branches = new Map<string, Branch>();
  let placed: string | null = null;
  for (let n = 0; n + 1 < fields.length; n += 2) {
    const [commit = '', ref = ''] = fields[n]!.trim().split(' ', 2);
    if (ref === names.placed) placed = commit;
    else branches.set(ref.slice('refs/heads/'.length), { commit, checkedOut: fields[n + 1] !== '' });
  }
  return { branches, placed };
}
