/** Opens, describes and cleans up where a focus works: the faculty's workspace, its own directory, or the worktree of its item. */
import { existsSync } from 'node:fs';
import { realpath } from 'node:fs/promises';
import { basename, join } from 'node:path';
import type { Faculty } from '../../../catalog/faculty/faculty.ts';
import { runsAsOwner } from '../../../process/isolation.ts';
import type { Database } from '../../../store/sql/database.ts';
import type { FocusRow } from '../../../store/transcript/focus-row.ts';
import { readTranscript } from '../../../store/transcript/transcript.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import type { Toolset } from '../../../tools/source.ts';
import { focusDirectory, giveFocusDirectory, makeFocusDirectory } from '../../workspace/focus-directory.ts';
import { focusHome } from '../../workspace/focus-home.ts';
import type { FocusControl } from './focus-control.ts';
import type { FocusEnd } from './focus-end.ts';
import type { Focus, FocusPlace, FocusReach } from './focus-scope.ts';
import {
  closeFocusWorktree,
  describeWorktree,
  openFocusWorktree,
  type WithRepo,
  type WorktreeWish,
  worktreeRules,
} from './focus-worktree.ts';
import { hostIsolation } from './host-isolation.ts';
import { EMPTY_DIRECTORY, tell } from './workspace-notices.ts';

/** A focus that has begun, before it has a place to work in. */
export interface BegunFocus extends WorktreeWish {
  readonly row: FocusRow;
  readonly toolset: Toolset;
}

/**
 * Creates the focus's directory and its content, or finds them; the directory of a new focus without a worktree is made when it is first
 * needed. A focus resumed where they are missing (another host) gets a notice. Errors: those of `openFocusWorktree`.
 */
export async function openWorkspace(
  begun: BegunFocus,
  faculty: Faculty,
  control: FocusControl,
  reach: FocusReach,
): Promise<FocusPlace> {
  const {
    key,
    row,
    answer,
    toolset: { tools },
  } = begun;
  const goesOn = row.resumes > 0 || Boolean(answer?.before);
  const isolation = hostIsolation(faculty, reach.host.isolation);
  const directory = focusDirectory(row.directory, async () => {
    await makeFocusDirectory(row.directory);
    if (runsAsOwner(isolation)) await giveFocusDirectory(row.directory, faculty.workspace ?? faculty.repo);
  });
  const home = focusHome({ directory: row.directory, faculty, isolation, goesOn, log: reach.log });
  if (!hasWorktree(faculty)) {
    const isMissing = goesOn && faculty.workspace === null && !existsSync(row.directory);
    if (isMissing && (await mayHaveWritten(row, faculty, tools, reach.db))) await tell(key, reach.db, EMPTY_DIRECTORY);
    if (goesOn) await directory.make();
    return {
      workspace: await workspaceOf(row.directory, faculty, reach),
      directory,
      home,
      worktree: null,
      fileRules: reach.host.guard.rulesOf({ directory: row.directory, faculty }),
    };
  }
  await directory.make();
  const worktree = await openFocusWorktree(begun, faculty, control.signal, reach);
  return {
    workspace: worktree.path,
    directory,
    home,
    worktree,
    fileRules: reach.host.guard.rulesOf({ directory: row.directory, faculty, own: worktreeRules(worktree) }),
  };
}

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
  { host }: Pick<FocusReach, 'host'>,
): Promise<string> {
  return workspace === null ? join(await host.realRoot(), basename(directory)) : realpath(workspace);
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
export function describeWorkspace(focus: Focus): string {
  const { workspace, worktree } = focus.run.place;
  return worktree === null ? workspace : `${workspace}\n${describeWorktree(worktree, focus)}`;
}

/**
 * Runs before the end of a focus is written, while it still owns the item. Hands over what is in the worktree, adds its changes to the outcome of a
 * final end, and removes an unchanged worktree. A failure here is logged, named in the outcome, and changes nothing.
 */
export async function closeWorkspace(end: FocusEnd, focus: Focus): Promise<FocusEnd> {
  if (focus.run.place.worktree === null || end.kind === 'lost') return end;
  return closeFocusWorktree(end, focus.run.place.worktree, isFinal(end, focus.work), focus);
}

/** Not for a failure after which the same focus continues. */
function isFinal(end: FocusEnd, work: ClaimedWork): boolean {
  if (end.kind !== 'failed') return end.kind === 'completed' || end.kind === 'cancelled';
  const again = end.recovery?.retryDelaySeconds != null && work.attempts + 1 < work.maxAttempts;
  return !again || end.recovery?.keep !== 'transcript';
}
