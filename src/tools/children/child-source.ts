/** The tools for child work, for faculties that say whom they may spawn. */
import type { ChildSettings } from '../../catalog/faculty/faculty.ts';
import { NO_SKILLS, type SkillLibrary } from '../../catalog/skills/skill.ts';
import type { Tool } from '../tool.ts';
import type { ToolSource } from '../tool-source.ts';
import { awaitChildTool } from './await-child-work.ts';
import { checkChildTool } from './check-child-work.ts';
import { spawnChildTool } from './spawn-child-work.ts';

/**
 * Gives the tools to faculties with `[faculty.children]`, and none to others: definitions of tools are sent with every request. `library`: as it is now.
 */
export function childSource(library: () => Promise<SkillLibrary>): ToolSource {
  return {
    name: 'children',
    open: async ({ children }) => ({ tools: children ? childTools(children, library) : [] }),
  };
}

/** The tools with which a faculty spawns child work and gets its results. */
export function childTools(
  settings: ChildSettings,
  library: () => Promise<SkillLibrary> = async () => NO_SKILLS,
): readonly Tool[] {
  return [spawnChildTool(settings, library), awaitChildTool, checkChildTool];
}

/** As permission rules know them. */
export const CHILD_TOOLS = childTools({ faculties: ['any'], maxChildren: 50, maxDepth: 5 });
