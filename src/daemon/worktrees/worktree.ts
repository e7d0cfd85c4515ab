/**
 * The worktree of an item: a private repository that borrows the objects of the operator's, with the files to work on. It is planned first, from what is
 * recorded and what is there, then recorded, then opened.
 */
import { dirname, join } from 'node:path';
import { AnimusError } from '../../core/errors/errors.ts';
import type { HandedCommits, RecordedWorktree } from '../../store/work/worktrees.ts';
import type { GitPlace, GitWriter } from '../git/git.ts';
import type { Refs } from '../git/read-refs.ts';
import { readGit, writeGit } from '../git/repository-writes.ts';
import { removeAt } from './beside.ts';
import { commitTrailers } from './commit-hook.ts';
import { takeOverLinked } from './linked-worktree.ts';
import { lookAtPrivate, mendPrivate } from './mend-private.ts';
import { type Origin, openOrigin } from './open-origin.ts';
import { copiedRefs, makePrivate, privatePlace, remakeDotGit } from './private-repository.ts';
import { restoreState } from './restore-state.ts';
import { removeUnfinished } from './unfinished-writes.ts';
import { fateOf, type Made } from './worktree-fate.ts';
import { type WorktreeNames, worktreeNames } from './worktree-refs.ts';
import { letThrough, openRoot } from './worktrees-root.ts';

/** What an item wants to work in. */
export interface WorktreeSpec {
  /** The operator's repository, bare or not; absolute. */
  readonly repo: string;
  /** The directory of all worktrees of this host. */
  readonly root: string;
  /** The item, or the conversation whose answers share the worktree. */
  readonly id: string;
  readonly workItemId: string;
  readonly recorded: RecordedWorktree | null;
  readonly author: { readonly name: string; readonly email: string };
  readonly submittedBy: string | null;
  /** Directories of earlier foci, newest first: of one that began with an earlier version the work is taken over. */
  readonly linked: readonly string[];
}

/** A worktree as it will be opened. */
export interface WorktreePlan {
  readonly spec: WorktreeSpec;
  readonly names: WorktreeNames;
  readonly origin: Origin;
  /** Absolute real path. */
  readonly path: string;
  readonly place: string;
  /** The commit that the branch begins at. */
  readonly base: string;
  /** What the files are, or become. */
  readonly begin: HandedCommits;
  readonly made: Made;
  /** What was lost, in words for people; null: nothing. */
  readonly lost: string | null;
  /** Filters of the repository that are not run (such as `lfs`): their files contain what git stores, such as pointers. */
  readonly filters: readonly string[];
  /** Of the operator's repository. */
  readonly refs: Refs;
}

/** An open worktree. */
export interface Worktree
  extends Pick<WorktreePlan, 'spec' | 'names' | 'origin' | 'path' | 'base' | 'made' | 'lost' | 'filters'> {
  /** For the daemon's git. */
  readonly place: GitPlace;
  /** The branch in the worktree. In the repository it may have another name, if that one is taken. */
  readonly branch: string;
  /** The name of its branch in the repository, as far as it is recorded. */
  readonly placed: string;
  /** The commit that this item began at: `base`, or what the answer before left. */
  readonly start: string;
  /** The repository has uncommitted changes, which are not in the worktree. */
  readonly repoIsDirty: boolean;
}

/** Changes nothing in the repository, except to take over work of an earlier version. Errors: `worktree.failed`, `worktree.elsewhere`. */
export async function planWorktree(spec: WorktreeSpec, git: GitWriter): Promise<WorktreePlan> {
  const { recorded } = spec;
  const names = worktreeNames(spec.id);
  const { origin, filters, refs } = await openOrigin(spec, commitTrailers(spec.workItemId, spec.submittedBy), git);
  const { commonDir } = origin.repository;
  if (recorded !== null && recorded.repo !== commonDir) {
    throw new AnimusError('worktree.other_repository', { path: recorded.path, began: recorded.repo, now: commonDir });
  }
  const root = await openRoot(spec.root);
  const path = join(root.path, names.name);
  const { id, workItemId } = spec;
  const fate = fateOf({ id, workItemId, recorded, path, place: root.place, found: lookAtPrivate(path) });
  const base = recorded?.base ?? (await baseOf(names, fate.made, refs, origin, git));
  const taken = fate.made === 'new' ? await takeOverLinked(spec.linked, names, origin, git) : null;
  const made = taken === null ? fate.made : 'again';
  const begin = taken ?? fate.begin ?? { tip: base, rest: null };
  const { lost } = fate;
  return { spec, names, origin, path, place: root.place, base, begin, made, lost, filters, refs };
}

/** Makes what was planned. Errors: `worktree.failed`. */
export async function openWorktree(plan: WorktreePlan, git: GitWriter): Promise<Worktree> {
  const { spec, names, origin, path, base, begin, made } = plan;
  const place = privatePlace(path, origin.settings);
  const [repoIsDirty] = await allEnded([
    made === 'new' ? isDirty(origin, git) : Promise.resolve(false),
    keepBase(plan, git),
    makeFiles(plan, git),
  ]);
  await mendPrivate(path, true, origin, git);
  // Whoever worked in it last did not come to its end.
  if (spec.recorded?.handed === false) await removeUnfinished(place, git);
  if (made === 'switched') await restoreState({ place, names, origin }, begin, git);
  const { lost, filters } = plan;
  const placed = spec.recorded?.branch ?? names.branch;
  const now = { place, branch: names.branch, placed, start: startOf(plan), repoIsDirty };
  return { spec, names, origin, path, base, made, lost, filters, ...now };
}

async function makeFiles({ names, origin, path, begin, made, refs }: WorktreePlan, git: GitWriter): Promise<void> {
  const start = { branch: names.branch, commit: begin.tip, rest: begin.rest, refs: copiedRefs(refs) };
  if (made === 'damaged') await remakeDotGit(path, start, origin, git);
  if (made !== 'new' && made !== 'again' && made !== 'lost') return;
  await letThrough(dirname(path));
  // Only one that a person has given up can be there.
  await removeAt(path, git.lease);
  await makePrivate(path, start, origin, git);
}

/** As `Promise.all`, but nothing goes on when it rejects. */
async function allEnded<T extends readonly unknown[]>(all: { [N in keyof T]: Promise<T[N]> }): Promise<T> {
  await Promise.allSettled(all);
  return Promise.all(all);
}

/** The base keeps the objects that are borrowed. */
async function keepBase({ names, origin, base, refs }: WorktreePlan, git: GitWriter): Promise<void> {
  if (refs.byName.get(names.base) !== base) await writeGit(origin.place, ['update-ref', names.base, base], git);
}

/** HEAD of the repository, detached or not; of a worktree that this database does not know, what the repository says. */
async function baseOf(
  names: WorktreeNames,
  made: Made,
  { head, byName }: Refs,
  { place }: Origin,
  git: GitWriter,
): Promise<string> {
  const known = byName.get(names.base);
  if (known !== undefined) return known;
  if (made === 'kept') {
    const detail = `the worktree ${names.name} exists, and neither the database nor the repository knows it: move it away`;
    throw new AnimusError('worktree.failed', { repo: place.commonDir, detail });
  }
  if (head !== null) return head;
  // The repository has no commit: an empty one is the base, and its own HEAD stays unborn. It is written and not hard-coded, because its id depends on the hash function.
  const tree = await readGit(place, ['hash-object', '-t', 'tree', '-w', '/dev/null'], git);
  return (await readGit(place, ['commit-tree', tree.trim(), '-m', 'Begin empty'], git)).trim();
}

/** An answer begins at what the answer before it left, whatever it has done since. */
function startOf({ spec, base }: WorktreePlan): string {
  const before = spec.id === spec.workItemId ? null : spec.recorded?.before;
  return before?.rest ?? before?.tip ?? base;
}

async function isDirty({ repository, place }: Origin, git: GitWriter): Promise<boolean> {
  if (repository.workTree === null) return false;
  return (await readGit(place, ['status', '--porcelain', '-z', '--ignore-submodules=dirty'], git)) !== '';
}
