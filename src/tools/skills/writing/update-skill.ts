/** update_skill: another version of a skill that work has written. It only uses this database, so it happens exactly once. */
import { databaseTool, type Tool } from '../../tool.ts';
import { briefSchema } from '../brief-schema.ts';
import { skillChange } from './draft.ts';
import { answerOf, writerOf } from './in-call.ts';
import { type SkillMode, storeSkillChange } from './store-version.ts';

/** The tool for a faculty. */
export function updateSkillTool(mode: SkillMode): Tool {
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
