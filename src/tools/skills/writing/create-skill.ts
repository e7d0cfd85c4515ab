/** create_skill: what work has learned becomes a skill. It only uses this database, so it happens exactly once. */
import { databaseTool, type Tool } from '../../tool.ts';
import { newSkill } from './draft.ts';
import { answerOf, writerOf } from './in-call.ts';
import { type SkillMode, storeNewSkill } from './store-version.ts';

/** The tool for a faculty. */
export function createSkillTool(mode: SkillMode): Tool {
  return databaseTool({
    name: 'create_skill',
    description:
      'Writes a new skill: a method that later work of any faculty should follow, learned from this work and from findings. Search for one that exists ' +
      'first, and improve that with update_skill. Write it for somebody who knows nothing of this work; never write secrets into it. ' +
      (mode === 'ask' ? 'A person decides whether it is used; do not wait for that.' : ''),
    risk: 'write',
    input: newSkill,
    notFromCode: () => 'skills are written one by one, in calls of their own',
    run: async (draft, context, tx) => answerOf(await storeNewSkill(tx, writerOf(context), draft, mode)),
  });
}
