/**
 * Hands what an item has made over to the operator's repository: commits, and the files that were left uncommitted as a commit on top. Runs while no
 * command of the item does. Repeating it changes nothing.
 */
import { type AgentRef, readAgentRefs } from './agent-refs.ts';
import { placeBranch } from './place-branch.ts';
import { readGit, writeGit, type WriteMeans } from './repository-writes.ts';
import { type CheckoutStatus, commitTree, type CommitWords, isAncestor, readStatus, treeOf, writeTree } from './snapshot.ts';
import type { Worktree } from './worktree.ts';
import { OUT } from './worktree-refs.ts';

/** What the operator's repository has of the item now. */
export interface HandedOver {
  /** The commit of the branch: what the agent committed, and what was committed for it. */
  readonly tip: string;
  /** A commit on top of it with the files that were left uncommitted; null: there are none. */
  readonly rest: string | null;
  /** The branch in the repository. */
  readonly branch: string;
  readonly others: readonly AgentRef[];
  readonly left: CheckoutStatus['left'];
}

/** `words`: of the commit with what is left uncommitted. `commit`: it becomes part of the branch. Errors: `worktree.failed`. */
export async function handOver(
  worktree: Worktree,
  { words, commit }: { readonly words: CommitWords; readonly commit: boolean },
  means: WriteMeans,
): Promise<HandedOver> {
  const { place, branch } = worktree;
  const status = await readStatus(place, means);
  const { tip, rest } = await commitRest(worktree, status, { words, commit }, means);
  const others = await readAgentRefs(place, { branch, head: tip }, means);
  const before = await branchTip(worktree, means);
  // The branch has the files as the agent left them, on whatever branch it was. What it had there otherwise is kept beside it.
  const aside = before !== null && !(await isAncestor(place, before, tip, means)) ? [{ name: 'branch', commit: before }] : [];
  const all = [...others.filter((ref) => ref.commit !== tip), ...aside];
  await transfer(worktree, { tip, rest, others: all }, means);
  const placed = await placeBranch(worktree, tip, means);
  return { tip, rest, branch: placed, others: all, left: status.left };
}

/** Commits what is uncommitted, on HEAD or beside it. */
async function commitRest(
  { place, start }: Worktree,
  { head, changed }: CheckoutStatus,
  { words, commit }: { readonly words: CommitWords; readonly commit: boolean },
  means: WriteMeans,
): Promise<{ readonly tip: string; readonly rest: string | null }> {
  const parent = head ?? start;
  if (changed.length === 0) return { tip: parent, rest: null };
  const tree = await writeTree(place, changed, commit ? 'theirs' : 'ours', means);
  if (tree === (await treeOf(place, parent, means))) return { tip: parent, rest: null };
  const made = await commitTree(place, { tree, parent }, words, means);
  if (!commit) return { tip: parent, rest: made };
  await readGit(place, ['update-ref', '-m', 'animus: commit what was left', 'HEAD', made, head ?? ''], means);
  return { tip: made, rest: null };
}

/** The commit of the item's branch in the checkout; null: the agent deleted it. */
async function branchTip({ place, branch }: Worktree, means: WriteMeans): Promise<string | null> {
  const found = await readGit(place, ['for-each-ref', '--format=%(objectname)', `refs/heads/${branch}`], means);
  return found.trim() === '' ? null : found.trim();
}

/** Fetches into the operator's repository: git checks every object there, and its configuration is the operator's. */
async function transfer(
  { place, origin, names }: Worktree,
  { tip, rest, others }: { readonly tip: string; readonly rest: string | null; readonly others: readonly AgentRef[] },
  means: WriteMeans,
): Promise<void> {
  const listed = await readGit(place, ['for-each-ref', '--format=%(refname)', OUT], means);
  const wanted = new Map([
    [`${OUT}branch`, tip],
    ...(rest === null ? [] : [[`${OUT}rest`, rest] as const]),
    ...others.map(({ name, commit }) => [`${OUT}other/${name}`, commit] as const),
  ]);
  const stale = listed.split('\n').filter((ref) => ref !== '' && !wanted.has(ref));
  // Deleted before others are made: a name may have been a directory.
  await updateRefs(stale.map((ref) => `delete ${ref}\n`));
  await updateRefs([...wanted].map(([ref, commit]) => `update ${ref} ${commit}\n`));
  const options = ['--quiet', '--no-tags', '--no-write-fetch-head', '--no-auto-maintenance', '--no-recurse-submodules', '--prune'];
  const from = [place.gitDir, `+${OUT}*:${names.handed}*`];
  // The private repository was mended: its configuration is ours.
  const env = { GIT_ALLOW_PROTOCOL: 'file' };
  await writeGit(origin.place, ['-c', 'fetch.fsckObjects=true', 'fetch', ...options, ...from], means, { env });

  async function updateRefs(lines: readonly string[]): Promise<void> {
    if (lines.length > 0) await readGit(place, ['update-ref', '--stdin'], means, { stdin: lines.join('') });
  }
}
