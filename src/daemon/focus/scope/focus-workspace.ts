/** Opens, describes and cleans up where a focus works: the faculty's workspace, its own directory, or a worktree in it. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, dirname, join } from 'node:path';
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import { worktreeBranch } from '../../../core/work/worktree-branch.ts';
import type { FileRule } from '../../../process/file-rules.ts';
import { runsAsOwner } from '../../../process/isolation.ts';
import type { AnswerStart } from '../../../store/conversations/answer-start.ts';
import type { Database } from '../../../store/sql/database.ts';
import { readEarlierFoci } from '../../../store/transcript/earlier-foci.ts';
import { type FocusKey, type FocusRow } from '../../../store/transcript/focus-row.ts';
import { readTranscript } from '../../../store/transcript/transcript.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import type { Toolset } from '../../../tools/source.ts';
import type { FileGuard } from '../../guard/file-guard.ts';
import {
  type FocusDirectory,
  focusDirectory,
  giveFocusDirectory,
  holdsWorktree,
  makeFocusDirectory,
  removeFocusDirectory,
} from '../../workspace/focus-directory.ts';
import { guardRepository, type RepositoryGuard } from '../../workspace/repository-guard.ts';
import { repositoryRules } from '../../workspace/repository-rules.ts';
import { closeWorktree, openWorktree, type Worktree, type WorktreeMeans } from '../../workspace/worktree.ts';
import type { FocusControl } from './focus-control.ts';
import type { FocusEnd } from './focus-end.ts';
import type { Focus, RulesNow, WorkspaceMeans } from './focus-scope.ts';
import { hostIsolation } from './host-isolation.ts';
import { EMPTY_DIRECTORY, remadeNotice, tell } from './workspace-notices.ts';

/** How long inspecting and removing a worktree may take. */
const CLOSE_MS = 60_000;

export interface FocusWorkspace {
  readonly workspace: string;
  readonly directory: FocusDirectory;
  readonly worktree: Worktree | null;
  readonly fileRules: RulesNow;
  /** Of the repository of a worktree; closed with the workspace. */
  readonly repositoryGuard: RepositoryGuard | null;
}

/**
 * Creates the focus's directory and its content, or finds them; the directory of a new focus without a worktree is made when it is first
 * needed. A focus resumed where they are missing (another host) gets a notice. Errors: `worktree.failed`.
 */
export async function openWorkspace(
  key: FocusKey,
  row: FocusRow,
  faculty: Faculty,
  { tools }: Toolset,
  control: FocusControl,
  means: WorkspaceMeans,
  answer: AnswerStart | null = null,
): Promise<FocusWorkspace> {
  const goesOn = row.resumes > 0 || Boolean(answer?.before);
  const isolation = hostIsolation(faculty, means.isolation);
  const directory = focusDirectory(row.directory, async () => {
    await makeFocusDirectory(row.directory);
    if (runsAsOwner(isolation)) await giveFocusDirectory(row.directory, faculty.workspace ?? faculty.repo);
  });
  if (!hasWorktree(faculty)) {
    const isMissing = goesOn && faculty.workspace === null && !existsSync(row.directory);
    if (isMissing && (await mayHaveWritten(row, faculty, tools, means.db))) await tell(key, means.db, EMPTY_DIRECTORY);
    if (goesOn) await directory.make();
    return {
      workspace: await workspaceOf(row.directory, faculty, means),
      directory,
      worktree: null,
      fileRules: rulesOf(row.directory, faculty, means.guard),
      repositoryGuard: null,
    };
  }
  await directory.make();
  const foci = await readEarlierFoci(means.db, key.workItemId, row.number);
  // All answers of a conversation have the same directory.
  const earlier = answer === null ? foci.map((id) => join(dirname(row.directory), id)) : [];
  const worktree = await openWorktree(
    {
      repo: faculty.repo,
      directory: row.directory,
      branch: worktreeBranch(answer?.conversation ?? key.workItemId),
      earlier,
    },
    worktreeMeans(row.directory, key, faculty, control.signal, means),
  );
  // Earlier foci of the item have ended, so the rest of their directories can be removed.
  for (const directory of earlier) if (!holdsWorktree(directory)) await removeFocusDirectory(directory);
  if (goesOn && worktree.made !== 'kept') await tell(key, means.db, remadeNotice(worktree));
  // Read again for each command: a file that has appeared since the last command is protected from the next.
  const own = () => repositoryRules(worktree.repository, worktree.entry, worktree.path);
  const { commonDir } = worktree.repository;
  const repositoryGuard = guardRepository(commonDir, () => {
    means.log.warn(
      { work_item_id: key.workItemId, repository: commonDir },
      'a command created the file `commondir` in the repository, which would make git use another configuration; the file was removed and the commands were stopped',
    );
    void means.processes.killAll(key.workItemId);
  });
  return {
    workspace: worktree.path,
    directory,
    worktree,
    fileRules: rulesOf(row.directory, faculty, means.guard, own),
    repositoryGuard,
  };
}

type WithRepo = Faculty & { readonly repo: string };

/** Whether the workspace of the faculty's foci is a worktree. */
export function hasWorktree(faculty: Faculty): faculty is WithRepo {
  return faculty.isolation === 'worktree' && faculty.repo !== null;
}

/**
 * The workspace of a focus without a worktree: the faculty's, or its own directory. As real paths: file tools check paths against the
 * real path, so a symlinked home would make them refuse everything.
 */
export async function workspaceOf(
  directory: string,
  { workspace }: Faculty,
  means: Pick<WorkspaceMeans, 'realRoot'>,
): Promise<string> {
  return workspace === null ? join(await means.realRoot(), basename(directory)) : realpath(workspace);
}

/** Whether a hook, a command or a tool of the focus may have left something in its directory, which was there then. */
async function mayHaveWritten(
  { id, phase }: FocusRow,
  { orient, engage, hooks }: Faculty,
  tools: Toolset['tools'],
  db: Database,
): Promise<boolean> {
  const hooked = orient !== null || (hooks?.before_llm_call.length ?? 0) > 0;
  if (hooked || engage.mode === 'external' || phase === 'consolidate' || phase === 'recover') return true;
  const { turns } = await readTranscript(db, id);
  return turns.some(({ calls }) =>
    calls.some(({ name, output }) => output !== null && tools.get(name)?.kind === 'world'),
  );
}

/** The workspace as the first message describes it. */
export function describeWorkspace({ workspace, worktree, row }: Pick<Focus, 'workspace' | 'worktree' | 'row'>): string {
  if (!worktree) return workspace;
  const { repo, branch, base, filters } = worktree;
  const notes = [
    `A git worktree of ${repo} on branch ${branch}, which began at commit ${base.slice(0, 12)}.`,
    row.number > 1 && FOUND[worktree.made],
    worktree.repoIsDirty && 'The repository itself has uncommitted changes, which are not in it.',
    filters.length > 0 &&
      `The filters of the repository (${filters.join(', ')}) were not run: the files they keep are there as git stores them.`,
    'Stay on this branch; committing is optional, the files as you leave them are kept.',
  ].filter((note) => typeof note === 'string');
  return `${workspace}\n${notes.join(' ')}`;
}

/** What a later attempt learns about the previous one. */
const FOUND: Readonly<Record<Worktree['made'], string | null>> = {
  new: null,
  kept: 'An earlier attempt worked in it, and what it changed is still there.',
  taken_over: 'An earlier attempt worked in it, and what it changed is still there.',
  from_branch: 'What an earlier attempt committed is on the branch; what it did not commit is gone.',
};

/**
 * Runs before the end of a focus is written, while it still owns the item. Adds the changes of the worktree to the
 * outcome of a final end, and removes an unchanged worktree. A failure here is logged and changes nothing.
 */
export async function closeWorkspace(end: FocusEnd, focus: Focus): Promise<FocusEnd> {
  const { worktree, means, key, faculty } = focus;
  focus.repositoryGuard?.close();
  if (!worktree || !isFinal(end, focus.work)) return end;
  try {
    const close = () =>
      closeWorktree(
        worktree,
        // Has its own time limit, because the signal of the focus may already be aborted. On a lost lease the
        // supervisor kills git.
        worktreeMeans(worktree.directory, key, faculty, AbortSignal.timeout(CLOSE_MS), means),
      );
    const { branch, commits, changedFiles, moreFiles } = await close().catch((error: unknown) => {
      if (isAnimusError(error, 'process.interrupted')) return close();
      throw error;
    });
    if (end.kind !== 'completed') return end;
    const changes = { branch, commits, changed_files: changedFiles, ...(moreFiles > 0 && { more_files: moreFiles }) };
    return { ...end, outcome: { ...end.outcome, worktree: changes } };
  } catch (error) {
    means.log.warn(
      { work_item_id: key.workItemId, error: messageOf(error) },
      'the worktree could not be inspected; it is kept',
    );
    return end;
  } finally {
    await means.processes.killAll(key.workItemId);
  }
}

/** Not for a failure after which the same focus continues. */
function isFinal(end: FocusEnd, work: ClaimedWork): boolean {
  if (end.kind !== 'failed') return end.kind === 'completed' || end.kind === 'cancelled';
  const again = end.recovery?.retryDelaySeconds != null && work.attempts + 1 < work.maxAttempts;
  return !again || end.recovery?.keep !== 'transcript';
}

/** `own`: additional rules for the worktree. */
function rulesOf(
  directory: string,
  faculty: Faculty,
  guard: FileGuard,
  own: () => readonly FileRule[] = () => [],
): RulesNow {
  return (given = []) => guard.rulesFor({ directory, faculty, given, own: own() });
}

function worktreeMeans(
  directory: string,
  key: FocusKey,
  faculty: Faculty,
  signal: AbortSignal,
  means: WorkspaceMeans,
): WorktreeMeans {
  return {
    processes: means.processes,
    owner: key.workItemId,
    isolation: hostIsolation(faculty, means.isolation),
    fileRules: rulesOf(directory, faculty, means.guard)(),
    signal,
    clock: means.clock,
  };
}
