/** The worktree of a focus: opened and recorded, described to the model, handed over and recorded at its end. */
import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import type { FileRule } from '../../../process/file-rules.ts';
import type { AnswerStart } from '../../../store/conversations/answer-start.ts';
import type { FocusKey, FocusRow } from '../../../store/transcript/focus-row.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import { holdWorktree, readWorktree, recordWorktree } from '../../../store/work/worktrees.ts';
import { type ClosedWorktree, closeWorktree, removeWorktree } from '../../worktrees/close-worktree.ts';
import { restMessage } from '../../worktrees/rest-message.ts';
import { openWorktree, planWorktree, type Worktree, type WorktreePlan } from '../../worktrees/worktree.ts';
import type { FocusEnd } from './focus-end.ts';
import type { Focus, FocusReach } from './focus-scope.ts';
import { hostIsolation } from './host-isolation.ts';
import { tell, worktreeNotice } from './workspace-notices.ts';

/** How long handing over and removing a worktree may take. */
const CLOSE_MS = 60_000;
/** Paths in an outcome. */
const MAX_FILES = 1000;

/** What the worktree is for. */
export interface WorktreeWish {
  readonly work: Pick<ClaimedWork, 'id' | 'submittedBy'>;
  readonly key: FocusKey;
  readonly row: FocusRow;
  readonly answer: AnswerStart | null;
}

export type WithRepo = Faculty & { readonly repo: string };

/** Opens the item's worktree. A focus that goes on is told what has changed. Errors: `worktree.failed`, `worktree.elsewhere`, `worktree.other_repository`. */
export async function openFocusWorktree(
  { work, key, row, answer }: WorktreeWish,
  faculty: WithRepo,
  signal: AbortSignal,
  reach: FocusReach,
): Promise<Worktree> {
  const id = answer?.conversation ?? work.id;
  const { recorded, earlier } = await readWorktree(reach.db, id, work.id, row.number);
  const { repo } = faculty;
  const author = { name: `${faculty.name} via animus`, email: reach.host.worktrees.commitEmail };
  const linked =
    recorded === null ? [row.directory, ...earlier.map((focus) => join(dirname(row.directory), focus))] : [];
  const { submittedBy } = work;
  const spec = {
    repo,
    root: reach.host.worktrees.root,
    id,
    workItemId: work.id,
    recorded,
    author,
    submittedBy,
    linked,
  };
  // Of an earlier version, the work is in the directory of a focus.
  const isLinked = linked.some((each) => existsSync(join(each, 'worktree')));
  const git = gitOf(isLinked ? row.directory : null, key, faculty, signal, reach);
  const plan = await planWorktree(spec, git);
  // While it is made there is nothing to lose.
  if (['new', 'again', 'lost'].includes(plan.made))
    await hold(plan, key, { handed: recorded?.handed ?? true, lost: null }, reach);
  const worktree = await openWorktree(plan, git);
  await hold(plan, key, { handed: false, lost: plan.lost }, reach);
  if (plan.lost !== null)
    reach.log.warn({ work_item_id: work.id, path: plan.path, lost: plan.lost }, 'part of a worktree was lost');
  const goesOn = row.resumes > 0 || Boolean(answer?.before);
  const notice = worktreeNotice(worktree, recorded);
  if (goesOn && notice !== null) await tell(key, reach.db, notice);
  return worktree;
}

function hold(
  { spec, names, path, place, base, origin }: WorktreePlan,
  key: FocusKey,
  now: { readonly handed: boolean; readonly lost: string | null },
  reach: FocusReach,
): Promise<void> {
  const repo = origin.repository.commonDir;
  const branch = spec.recorded?.branch ?? names.branch;
  return holdWorktree(reach.db, key, { id: spec.id, host: reach.host.name, path, place, repo, branch, base, ...now });
}

/** The rules for commands and file tools: the worktree is theirs, and the operator's repository only lends objects. */
export function worktreeRules({ path, origin }: Worktree): readonly FileRule[] {
  const { commonDir, gitDir, workTree } = origin.repository;
  const read = [commonDir, gitDir, ...(workTree === null ? [] : [workTree])];
  return [...read.map((each): FileRule => ({ path: each, access: 'read' })), { path, access: 'all' }];
}

/** What the first message says about it. */
export function describeWorktree(
  { branch, base, filters, made, repoIsDirty, spec: { repo } }: Worktree,
  { row, faculty }: Pick<Focus, 'row' | 'faculty'>,
): string {
  const rest = faculty.commit === 'none' ? 'kept beside it' : 'committed for you';
  const notes = [
    `A git repository of its own, made from ${repo}, on branch ${branch}, which began at commit ${base.slice(0, 12)}.`,
    `Nothing in it is shared with ${repo} or with other work: branches, tags, stashes and configuration are its own.`,
    row.number > 1 && FOUND[made],
    repoIsDirty && `${repo} has uncommitted changes, which are not in it.`,
    filters.length > 0 &&
      `The filters of the repository (${filters.join(', ')}) were not run: the files they keep are there as git stores them.`,
    `When the work ends, the branch is handed over to ${repo}; what is uncommitted then is ${rest}. Files that git ignores and commits in submodules are not handed over.`,
  ];
  return notes.filter((note) => typeof note === 'string').join(' ');
}

/** What a later attempt learns about the previous one. */
const FOUND: Readonly<Record<Worktree['made'], string | null>> = {
  new: null,
  kept: 'An earlier attempt worked in it, and what it changed is still there.',
  switched: 'Its files are those that the answer before this one left.',
  damaged: 'An earlier attempt worked in it and damaged its .git, which was made again; its files are still there.',
  again: 'It was made again from what an earlier attempt had handed over; files that git ignores are gone.',
  lost: 'An earlier attempt worked in it. It was removed by somebody and made again; what was changed since it was last handed over is gone.',
};

/** Hands over and records what was made. `ended`: nothing goes on in it. */
export async function closeFocusWorktree(
  end: FocusEnd,
  worktree: Worktree,
  ended: boolean,
  focus: Focus,
): Promise<FocusEnd> {
  const { reach, key, work } = focus;
  try {
    const closed = await closeTwice(end, worktree, ended, focus);
    if (end.kind !== 'completed') return end;
    return { ...end, outcome: { ...end.outcome, worktree: outcomeOf(closed, worktree) } };
  } catch (error) {
    const { path, branch, spec } = worktree;
    const problem = messageOf(error);
    reach.log.warn(
      { work_item_id: key.workItemId, path, error: problem },
      'the worktree could not be handed over; it is kept',
    );
    if (isAnimusError(error, 'work.lease_lost') || !ended) return end;
    await recordWorktree(reach.db, key, { id: spec.id, state: 'kept', handed: false, holds: [], branch, result: null });
    if (end.kind !== 'completed') return end;
    return { ...end, outcome: { ...end.outcome, worktree: { path, problem: `not handed over: ${problem}` } } };
  } finally {
    await reach.host.processes.killAll(work.id);
  }
}

/** The supervisor may have died with the focus: then another one runs git. */
async function closeTwice(end: FocusEnd, worktree: Worktree, ended: boolean, focus: Focus): Promise<ClosedWorktree> {
  const { reach, key, faculty } = focus;
  const { spec, origin } = worktree;
  const words = {
    author: spec.author,
    message: restMessage(end.kind === 'completed' ? end.summary : null, origin.trailers),
  };
  const stint = { ended, commit: end.kind === 'completed' && faculty.commit !== 'none', words };
  // Has its own time limit, because the signal of the focus may already be aborted. On a lost lease the supervisor kills git.
  const git = () => gitOf(null, key, faculty, AbortSignal.timeout(CLOSE_MS), reach);
  const close = () => closeWorktree(worktree, stint, git());
  const closed = await close().catch((error: unknown) => {
    if (isAnimusError(error, 'process.interrupted')) return close();
    throw error;
  });
  const { state, holds, branch, tip, rest, changes } = closed;
  const result = { start: worktree.start, tip, rest, patch: changes.patch, patchBytes: changes.patchBytes, ended };
  const handed = holds.every((hold) => hold === 'ignored');
  await recordWorktree(reach.db, key, { id: spec.id, state, handed, holds, branch, result });
  if (state === 'removed') await removeWorktree(worktree, closed, git());
  return closed;
}

/** The worktree in the outcome of the item. */
function outcomeOf(closed: ClosedWorktree, { path, lost }: Worktree): Readonly<Record<string, unknown>> {
  const { branch, changes, files, rest, others, holds, state } = closed;
  const more = files.length - MAX_FILES;
  return {
    branch,
    commits: changes.commits,
    changed_files: files.slice(0, MAX_FILES),
    ...(more > 0 && { more_files: more }),
    ...(rest !== null && { uncommitted: true }),
    ...(others.length > 0 && { other_refs: others.map(({ name }) => name) }),
    ...(holds.length > 0 && { only_in_directory: holds }),
    ...(state !== 'removed' && { path }),
    ...(lost !== null && { lost }),
  };
}

/** Without a directory of the focus, the rules are the same for all foci of the faculty, which then share what is prepared for them. */
function gitOf(
  directory: string | null,
  key: FocusKey,
  faculty: Faculty,
  signal: AbortSignal,
  reach: FocusReach,
): Parameters<typeof planWorktree>[1] {
  const root: FileRule = { path: reach.host.worktrees.root, access: 'all' };
  return {
    processes: reach.host.processes,
    owner: key.workItemId,
    isolation: hostIsolation(faculty, reach.host.isolation),
    fileRules: reach.host.guard.rulesOf({ directory, faculty, own: [root] })(),
    signal,
    clock: reach.clock,
    lease: reach.lease,
  };
}
