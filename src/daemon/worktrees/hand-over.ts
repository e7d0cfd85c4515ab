/**
 * Hands what an item has made over to the operator's repository: commits, and the files that were left uncommitted as a commit on top. Runs while no
 * command of the item does. Repeating it changes nothing.
 */

import type { GitWriter } from '../git/git.ts';
import { type Refs, readRefs } from '../git/read-refs.ts';
import { readGit, writeGit } from '../git/repository-writes.ts';
import {
  type CheckoutStatus,
  type CommitWords,
  commitTree,
  isAncestor,
  readStatus,
  writeTree,
} from '../git/snapshot.ts';
import { type AgentRef, readAgentRefs, readDropped } from './agent-refs.ts';
import { type PlacedRefs, placeBranch, readPlaced } from './place-branch.ts';
import type { Worktree } from './worktree.ts';
import { type Changes, changesBetween } from './worktree-changes.ts';
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
  /** What the item has changed since it began. */
  readonly changes: Changes;
  /** Full names of the refs below `refs/animus` that the repository has of it. */
  readonly refs: readonly string[];
}

/** `words`: of the commit with what is left uncommitted. `commit`: it becomes part of the branch. Errors: `worktree.failed`. */
export async function handOver(
  worktree: Worktree,
  { words, commit }: { readonly words: CommitWords; readonly commit: boolean },
  git: GitWriter,
): Promise<HandedOver> {
  const { place, branch, start } = worktree;
  // The commit on top of HEAD that is made next changes nothing about what is dropped.
  const [status, refs, found, placed] = await Promise.all([
    readStatus(place, git),
    readRefs(place, git),
    readDropped(place, null, git),
    readPlaced(worktree, git),
  ]);
  const made = await commitRest(worktree, status, { words, commit }, git);
  const { tip, rest } = made;
  const dropped = status.head === null ? await readDropped(place, tip, git) : found;
  const others = await readAgentRefs(place, branch, refs, dropped, git);
  const before = refs.byName.get(`refs/heads/${branch}`);
  // The branch has the files as the agent left them, on whatever branch it was. What it had there otherwise is kept beside it.
  const isBehind =
    before === undefined || before === tip || before === refs.head || (await isAncestor(place, before, tip, git));
  const all = [
    ...others.filter((ref) => ref.commit !== tip),
    ...(isBehind ? [] : [{ name: 'branch', commit: before }]),
  ];
  const out = outOf({ tip, rest, others: all });
  const [delivered, changes] = await Promise.all([
    deliver(worktree, { made, out, refs, placed }, git),
    changesBetween(place, { start, tip, result: rest ?? tip }, git),
  ]);
  return { tip, rest, others: all, left: status.left, changes, ...delivered };
}

/** What is to be delivered. */
interface Delivery {
  readonly made: Made;
  readonly out: ReadonlyMap<string, string>;
  /** Of the private repository. */
  readonly refs: Refs;
  /** Of the operator's, for this worktree. */
  readonly placed: PlacedRefs;
}

/** Puts it into the operator's repository, unless it is there. */
async function deliver(
  worktree: Worktree,
  { made, out, refs, placed }: Delivery,
  git: GitWriter,
): Promise<Pick<HandedOver, 'branch' | 'refs'>> {
  const { names } = worktree;
  const others = [names.base, ...(placed.at === null ? [] : [names.placed])];
  if (isHandedOver(worktree, out, refs)) return { branch: worktree.placed, refs: [...others, ...placed.handed] };
  await transfer(worktree, { made, out, refs }, git);
  const branch = await placeBranch(worktree, made.tip, placed, git);
  const handed = [...out.keys()].map((ref) => `${names.handed}${ref.slice(OUT.length)}`);
  return { branch, refs: [...new Set([...others, names.placed, ...handed])] };
}

/** `head`: HEAD is to be moved from this commit (empty: from none) to the tip. */
interface Made extends Pick<HandedOver, 'tip' | 'rest'> {
  readonly head?: string;
}

/** Commits what is uncommitted, on HEAD or beside it. */
async function commitRest(
  { place, start }: Worktree,
  { head, changed }: CheckoutStatus,
  { words, commit }: { readonly words: CommitWords; readonly commit: boolean },
  git: GitWriter,
): Promise<Made> {
  const parent = head ?? start;
  if (changed.length === 0) return { tip: parent, rest: null };
  const { tree, above } = await writeTree(place, { paths: changed, parent }, commit ? 'theirs' : 'ours', git);
  if (tree === above.tree) return { tip: parent, rest: null };
  // Files beside the branch are the same commit until they change.
  const made = await commitTree(place, { tree, parent, ...(!commit && { date: above.date }) }, words, git);
  return commit ? { tip: made, rest: null, head: head ?? '' } : { tip: parent, rest: made };
}

/** The refs of the private repository that are fetched, with their commits. */
function outOf({ tip, rest, others }: Pick<HandedOver, 'tip' | 'rest' | 'others'>): ReadonlyMap<string, string> {
  return new Map([
    [`${OUT}branch`, tip],
    ...(rest === null ? [] : [[`${OUT}rest`, rest] as const]),
    ...others.map(({ name, commit }) => [`${OUT}other/${name}`, commit] as const),
  ]);
}

/** Nothing is new: either it is all as it began, or as it was handed over and recorded before. */
function isHandedOver(
  { base, spec: { recorded } }: Worktree,
  out: ReadonlyMap<string, string>,
  { byName }: Refs,
): boolean {
  const tip = out.get(`${OUT}branch`);
  const there = [...byName].filter(([ref]) => ref.startsWith(OUT));
  if (recorded === null || recorded.own === null) return out.size === 1 && tip === base && there.length === 0;
  const { own } = recorded;
  const isRecorded = own.tip === tip && own.rest === (out.get(`${OUT}rest`) ?? null);
  return isRecorded && there.length === out.size && there.every(([ref, commit]) => out.get(ref) === commit);
}

/** Fetches into the operator's repository: git checks every object there, and its configuration is the operator's. */
async function transfer(
  { place, origin, names }: Worktree,
  { made: { tip, head }, out, refs }: Omit<Delivery, 'placed'>,
  git: GitWriter,
): Promise<void> {
  const stale = [...refs.byName.keys()].filter((ref) => ref.startsWith(OUT) && !out.has(ref));
  // Deleted before others are made: a name may have been a directory.
  await updateRefs(stale.map((ref) => `delete ${ref}\n`));
  const moved = head === undefined ? [] : [`update HEAD ${tip} ${head === '' ? '0'.repeat(tip.length) : head}\n`];
  await updateRefs([...moved, ...[...out].map(([ref, commit]) => `update ${ref} ${commit}\n`)]);
  const options = [
    '--quiet',
    '--no-tags',
    '--no-write-fetch-head',
    '--no-auto-maintenance',
    '--no-recurse-submodules',
    '--prune',
  ];
  const from = [place.gitDir, `+${OUT}*:${names.handed}*`];
  // The private repository was mended: its configuration is ours.
  const env = { GIT_ALLOW_PROTOCOL: 'file' };
  await writeGit(origin.place, ['-c', 'fetch.fsckObjects=true', 'fetch', ...options, ...from], git, { env });

  async function updateRefs(lines: readonly string[]): Promise<void> {
    const args = ['update-ref', '-m', 'animus: commit what was left', '--stdin'];
    if (lines.length > 0) await readGit(place, args, git, { stdin: lines.join('') });
  }
}
