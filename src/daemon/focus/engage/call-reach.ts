/** What the tool calls of a focus may reach, and where its commands run. */
import type { CallScope } from '../../../engage/calls/call-scope.ts';
import type { Reach } from '../../../engage/calls/reach.ts';
import type { CommandHost } from '../../../process/process-host.ts';
import { filesOfAnswer } from '../../../store/conversations/files-of-answer.ts';
import { recordedContents } from '../../../tools/files/recorded-contents.ts';
import { createSeenFiles } from '../../../tools/files/seen-files.ts';
import { type BackgroundCommands, createBackgroundCommands } from '../../../tools/shell/background-commands.ts';
import { skillScope } from '../../../tools/skills/active-skills.ts';
import { skillRoom } from '../orient/orient-skills.ts';
import type { Focus } from '../scope/focus-scope.ts';
import { hostIsolation } from '../scope/host-isolation.ts';
import { callGuard } from './call-guard.ts';
import type { FocusLoopHooks } from './focus-loop-hooks.ts';

/** Where the commands of `bash` run. */
export interface CommandPlaces {
  readonly background: BackgroundCommands;
  /** Null: on this host. */
  readonly container: CommandHost | null;
}

/** What runs in the background ends with `use`, and so does the container of `bash`, before anything looks at the result or the focus waits. */
export async function withCommandPlaces<T>(focus: Focus, use: (places: CommandPlaces) => Promise<T>): Promise<T> {
  const background = createBackgroundCommands();
  const { key, faculty } = focus;
  const { workspace, worktree, home } = focus.run.place;
  // Not computed for foci without a container: looking for a home that is not there takes time.
  const more = () => [...(worktree ? [worktree.origin.repository.commonDir] : []), ...home.paths()];
  const container = focus.reach.host.bashContainer({ workItemId: key.workItemId, faculty, workspace, more });
  try {
    return await use({ background, container });
  } finally {
    await background.close();
    await container?.close();
  }
}

/** What the calls may reach, between the hooks and permissions of the faculty as it is loaded now. */
export function reachOf(focus: Focus, places: CommandPlaces, hooks: FocusLoopHooks): Reach {
  return {
    db: focus.reach.db,
    toolset: focus.run.toolset.tools,
    callScope: callScopeOf(focus, places),
    guard: callGuard(focus, hooks),
    maxParallelTools: focus.faculty.engage.maxParallelTools,
  };
}

function callScopeOf(focus: Focus, { background, container }: CommandPlaces): CallScope {
  const { reach, faculty, key, work } = focus;
  const { workspace, directory, home, fileRules } = focus.run.place;
  return {
    ...key,
    faculty: work.faculty,
    workspace,
    makeDirectory: directory.make,
    timeoutMs: faculty.engage.toolTimeoutSeconds * 1000,
    lease: reach.lease,
    processes: reach.host.processes,
    home: home.open,
    background,
    ...(container && { container }),
    isolation: hostIsolation(faculty, reach.host.isolation),
    seenFiles: createSeenFiles(recordedContents(reach.db, key.focusId)),
    fileRules,
    skills: skillScope(reach.db, {
      focusId: key.focusId,
      workspace,
      directory: reach.skills.packages,
      maxTokens: skillRoom(faculty, key.focusId, reach),
    }),
    ...(focus.answer !== null && { databaseFiles: filesOfAnswer(reach.db, key.workItemId) }),
  };
}
