/** The usual beginning of a focus, in one statement: the focus itself, its first message and its first turn. */
import { join } from 'node:path';
import { asksModel, type Faculty } from '../../../catalog/faculty/faculty.ts';
import { NO_LOOP_HOOKS } from '../../../catalog/faculty/loop-hooks.ts';
import { estimateTokens } from '../../../core/work/tokens.ts';
import { uuidV7 } from '../../../core/work/uuid-v7.ts';
import { orientMessage } from '../../../engage/prompt/prompt.ts';
import type { FocusRow } from '../../../store/transcript/focus-row.ts';
import { encodeSettings, type FocusSettings } from '../../../store/transcript/focus-settings.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import { readInstructionFiles } from '../../workspace/instruction-files.ts';
import type { FirstRequest, FocusBeginning, FocusReach } from '../scope/focus-scope.ts';
import { hasWorktree, workspaceOf } from '../scope/focus-workspace.ts';
import { firstCost } from './first-cost.ts';
import { attachmentIds } from './orient-attachments.ts';
import { countActivated, skillMessages, skillsFor } from './orient-skills.ts';

/** Whether a hook runs before the first request. */
function hasHookBefore({ orient, hooks = NO_LOOP_HOOKS }: Faculty): boolean {
  return orient !== null || hooks.before_llm_call.length > 0;
}

/**
 * Begins a focus whose first request is made from the work item alone. Null if something else goes into it (a hook, a worktree,
 * attachments, an earlier focus, a ledger), or may: then nothing was written, and the focus begins step by step. Errors: `skill.unknown`,
 * `skill.changed`.
 */
export async function beginWithRequest(
  work: ClaimedWork,
  faculty: Faculty,
  settings: FocusSettings,
  { directoryRoot, beginNew }: FocusBeginning,
  reach: FocusReach,
): Promise<{ readonly row: FocusRow; readonly first: FirstRequest } | null> {
  if (work.attempts > 0 || hasHookBefore(faculty) || hasWorktree(faculty) || attachmentIds(work.params).length > 0)
    return null;
  const focusId = uuidV7();
  const directory = join(directoryRoot, focusId);
  // A workspace that is missing is reported by the focus.
  const workspace = await workspaceOf(directory, faculty, reach).catch(() => null);
  if (workspace === null) return null;
  const { catalogue, activated } = await skillsFor(work, faculty, focusId, reach);
  await reach.skills.store.store(activated);
  const rules = reach.host.guard.rulesOf({ directory, faculty });
  const surroundings = {
    // The directory of a new focus is empty.
    instructions: faculty.workspace === null ? [] : await readInstructionFiles(workspace, rules, faculty.instructions),
    awareness: await reach.shared.awareness(work, faculty),
    skills: catalogue,
  };
  const content = orientMessage(work, [], null, workspace, null, null, surroundings);
  const messages = [{ afterTurn: 0, kind: 'orient', content } as const, ...skillMessages(activated)];
  const encoded = encodeSettings(settings);
  // Nothing is sent before the request of a batch is put into the outbox.
  const asks = asksModel(faculty.engage) && !faculty.engage.batch;
  const reservation = asks
    ? { ...firstCost(messages, settings, faculty, reach.models, focusId), request: focusId }
    : null;
  const permit = await beginNew({
    workItemId: work.id,
    leaseToken: work.leaseToken,
    focusId,
    settings: encoded,
    content,
    tokens: estimateTokens(content),
    turn: asksModel(faculty.engage),
    reservedUsd: reservation === null ? 0 : reservation.usd,
    request: reservation?.request ?? null,
    skills: activated,
  });
  if (permit === null) {
    reach.skills.store.forget(activated);
    return null;
  }
  countActivated(work.faculty, activated);
  const row = {
    id: focusId,
    number: 1,
    phase: 'engage',
    directory,
    resumes: 0,
    hasLedger: false,
    budget: null,
    ...encoded.readBack,
  } as const;
  const begun = asksModel(faculty.engage) ? { permit, reservation } : null;
  return { row, first: { messages, begun } };
}
