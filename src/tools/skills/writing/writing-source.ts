/** The tools that write skills, for faculties that may, in a daemon that has a directory for them. */
import type { Faculty, SkillCreation } from '../../../catalog/faculty/faculty.ts';
import type { SkillSettings } from '../../../catalog/faculty/skill-settings.ts';
import type { Tool } from '../../tool.ts';
import type { ToolSource } from '../../tool-source.ts';
import { skillTools } from './skill-tools.ts';

/** As permission rules know them. */
export const SKILL_WRITING_TOOLS: readonly Tool[] = skillTools('ask');

/** One object per mode for all foci: a schema is written down once. */
const TOOLS: Readonly<Record<SkillCreation, readonly Tool[]>> = {
  no: [],
  ask: SKILL_WRITING_TOOLS,
  auto: skillTools('auto'),
};

/**
 * Those that a faculty has: none without skills that it uses, because it cannot search for what it should improve. Hooks write skills all the same.
 */
export function skillWritingTools({
  skillCreation = 'no',
  skills: { offered } = { offered: [] },
}: Pick<Faculty, 'skillCreation'> & { readonly skills?: Pick<SkillSettings, 'offered'> }): readonly Tool[] {
  return offered.length > 0 ? TOOLS[skillCreation] : [];
}

/** Offers them where `writes` says that this daemon has a directory for what is written. */
export function skillWritingSource(writes: boolean): ToolSource {
  return {
    name: 'skill-writing',
    onlyForModels: true,
    open: async (faculty) => ({ tools: writes ? skillWritingTools(faculty) : [] }),
  };
}
