/** update_skill: another version of a skill that work has written. It only uses this database, so it happens exactly once. */
import { databaseTool, type Tool } from '../../tool.ts';
import { skillChange } from './draft.ts';
import { answerOf, writerOf } from './in-call.ts';
import { type SkillMode, storeSkillChange } from './store-version.ts';

/** The tool for a faculty. */
export function updateSkillTool(mode: SkillMode): Tool {
  return databaseTool({
    name: 'update_skill',
    description:
      'Writes another version of a skill that agents have written, because it is wrong, incomplete or out of date. What you leave out stays. Skills of people ' +
      'cannot be changed. Refused if another version is current by now; the answer then has its text. ' +
      (mode === 'ask' ? 'A person decides whether it is used; do not wait for that.' : ''),
    risk: 'write',
    input: skillChange,
    notFromCode: () => 'skills are written one by one, in calls of their own',
    run: async (change, context, tx) => answerOf(await storeSkillChange(tx, writerOf(context), change, mode)),
  });
}
