/** The tools that write skills. They only use this database, so each call happens exactly once. */
import type { SkillWriter } from '../../../store/skills/skill-versions.ts';
import { briefSchema } from '../../brief-schema.ts';
import { databaseTool, type Tool, type ToolContext, type ToolOutput, toolError } from '../../tool.ts';
import type { Refused } from './compose.ts';
import { newSkill, skillChange } from './draft.ts';
import { type SkillMode, type StoredVersion, storeNewSkill, storeSkillChange } from './store-version.ts';

/** For a faculty whose skills are written in this mode. */
export function skillTools(mode: SkillMode): readonly Tool[] {
  return [createSkillTool(mode), updateSkillTool(mode)];
}

/** create_skill: what work has learned becomes a skill. */
function createSkillTool(mode: SkillMode): Tool {
  return databaseTool({
    name: 'create_skill',
    description:
      'Writes a skill: a method for later work of any faculty. First search for one to improve by update_skill. Its reader knows nothing of this work. No secrets.',
    risk: 'write',
    input: newSkill,
    inputSchema: briefSchema(newSkill, {
      words: {
        name: 'such as release-notes',
        description: 'what it does, and when to use it',
        instructions: 'how, step by step, in Markdown',
        keywords: 'words of tasks that activate it',
        faculties: 'default: all',
        sources: 'ledger entries WORK_ITEM_ID/NUMBER, and words of the skill that each supports',
      },
    }),
    notFromCode: () => 'skills are written one by one, in calls of their own',
    run: async (draft, context, tx) => answerOf(await storeNewSkill(tx, writerOf(context), draft, mode)),
  });
}

/** update_skill: another version of a skill that work has written. */
function updateSkillTool(mode: SkillMode): Tool {
  return databaseTool({
    name: 'update_skill',
    description: 'Changes a skill that agents wrote. Fields as in create_skill; what you leave out stays.',
    risk: 'write',
    input: skillChange,
    inputSchema: briefSchema(skillChange, {
      words: {
        version: 'that you have read',
        diff: 'instead of instructions: @@, then lines with " ", "-" or "+"',
      },
      asElsewhere: ['files', 'sources'],
    }),
    notFromCode: () => 'skills are written one by one, in calls of their own',
    run: async (change, context, tx) => answerOf(await storeSkillChange(tx, writerOf(context), change, mode)),
  });
}

/** The focus, in this call. */
function writerOf({ workItemId, leaseToken, focusId, callId }: ToolContext): SkillWriter {
  return { workItemId, leaseToken, focusId, callId };
}

/** The result of the call. */
function answerOf(stored: StoredVersion | Refused): ToolOutput {
  if ('problem' in stored) return toolError(stored.problem);
  const { name, version, state } = stored;
  const content =
    state === 'current'
      ? `skill ${name}: version ${version} is current; foci that begin from now on can use it`
      : `skill ${name}: version ${version} is proposed, and a person decides about it; go on with your work`;
  return { content, details: { skill: name, version, state } };
}
