/** The tools that write skills, for faculties that may, in a daemon that has a directory for them. */
import type { SkillCreation } from '../../../catalog/faculty/faculty.ts';
import type { Tool } from '../../tool.ts';
import type { ToolSource } from '../../tool-source.ts';
import { createSkillTool } from './create-skill.ts';
import { updateSkillTool } from './update-skill.ts';

/** As permission rules know them. */
export const SKILL_WRITING_TOOLS: readonly Tool[] = toolsOf('ask');

/** One object per mode for all foci, so that a schema is written down once. */
const TOOLS: Readonly<Record<SkillCreation, readonly Tool[]>> = {
  no: [],
  ask: SKILL_WRITING_TOOLS,
  auto: toolsOf('auto'),
};

/**
 * Offers them where `writes` says that this daemon has a directory for what is written, and to faculties that use skills: one without cannot search for
 * what it should improve. Hooks write skills all the same.
 */
export function skillWritingSource(writes: boolean): ToolSource {
  return {
    name: 'skill-writing',
    async open({ skillCreation = 'no', skills: { offered } = { offered: [] } }) {
      return { tools: writes && offered.length > 0 ? TOOLS[skillCreation] : [] };
    },
  };
}

function toolsOf(mode: 'ask' | 'auto'): readonly Tool[] {
  return [createSkillTool(mode), updateSkillTool(mode)];
}
