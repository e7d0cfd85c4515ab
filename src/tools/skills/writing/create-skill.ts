/** create_skill: what work has learned becomes a skill. It only uses this database, so it happens exactly once. */
import { databaseTool, type Tool } from '../../tool.ts';
import { briefSchema } from '../brief-schema.ts';
import { newSkill } from './draft.ts';
import { answerOf, writerOf } from './in-call.ts';
import { type SkillMode, storeNewSkill } from './store-version.ts';

/** The tool for a faculty. */
export function createSkillTool(mode: SkillMode): Tool {
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
