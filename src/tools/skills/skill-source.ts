/** The tools for skills, for faculties that may use some, where there are skills. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { SkillSettings } from '../../catalog/faculty/skill-settings.ts';
import { NO_SKILLS, type SkillLibrary } from '../../catalog/skills/skill.ts';
import { rememberedOf } from '../../core/text/remembered.ts';
import type { Tool } from '../tool.ts';
import type { ToolSource } from '../tool-source.ts';
import { activateSkillTool } from './activate-skill.ts';
import { countOffered } from './choose-skills.ts';
import { discoverSkillsTool } from './discover-skills.ts';

/** As without a faculty. */
export const SKILL_TOOLS: readonly Tool[] = skillTools(
  { offered: ['*'], catalogueMaxTokens: 0, autoActivate: false, maxAutoActivated: 0 },
  async () => NO_SKILLS,
);

/** Definitions of tools are sent with every request: none without a skill that the faculty may use. `library`: as it is now. */
export function skillSource(library: () => Promise<SkillLibrary>): ToolSource {
  // One object for all foci of a faculty: its schema is written down once.
  const toolsOf = rememberedOf((settings: SkillSettings) => skillTools(settings, library));
  return {
    name: 'skills',
    onlyForModels: true,
    async open({ skills: settings }: Faculty) {
      if (settings === undefined || !offersAny(await library(), settings)) return { tools: [] };
      return { tools: toolsOf(settings) };
    },
  };
}

/** Whether a faculty with these settings may use a skill of the library. */
export function offersAny(library: SkillLibrary, settings: Pick<SkillSettings, 'offered'>): boolean {
  return countOffered(library, settings) > 0;
}

function skillTools(settings: SkillSettings, library: () => Promise<SkillLibrary>): readonly Tool[] {
  return [discoverSkillsTool(settings, library), activateSkillTool(settings, library)];
}
