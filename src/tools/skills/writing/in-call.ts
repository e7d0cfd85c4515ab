/** What both tools say to the model, and as whom they write. */
import type { SkillWriter } from '../../../store/skills/skill-versions.ts';
import { type ToolContext, type ToolOutput, toolError } from '../../tool.ts';
import type { Refused } from './compose.ts';
import type { StoredVersion } from './store-version.ts';

/** The focus, in this call. */
export function writerOf({ workItemId, leaseToken, focusId, callId }: ToolContext): SkillWriter {
  return { workItemId, leaseToken, focusId, callId };
}

/** The result of the call. */
export function answerOf(stored: StoredVersion | Refused): ToolOutput {
  if ('problem' in stored) return toolError(stored.problem);
  const { name, version, state } = stored;
  const content =
    state === 'current'
      ? `skill ${name}: version ${version} is current; foci that begin from now on can use it`
      : `skill ${name}: version ${version} is proposed, and a person decides about it; go on with your work`;
  return { content, details: { skill: name, version, state } };
}
