/** discover_skills: searches the skills that this faculty may use. */
import { z } from 'zod';
import type { SkillSettings } from '../../catalog/faculty/skill-settings.ts';
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { harmless } from '../../core/text/harmless.ts';
import { briefSchema } from '../brief-schema.ts';
import { type ToolOutput, type WorldTool, worldTool } from '../tool.ts';
import { isForOthers, isOffered } from './choose-skills.ts';
import { indexOf, rankSkills } from './skill-index.ts';
import { catalogueLine } from './skill-text.ts';

const input = z.strictObject({
  query: z.string().trim().max(1000).optional().describe('words for what you want to do; without it, all skills'),
  limit: z.int().min(1).max(100).default(10).describe('how many at most'),
});

/** The tool of a faculty with these settings. */
export function discoverSkillsTool(
  settings: SkillSettings,
  library: () => Promise<SkillLibrary>,
): WorldTool<z.infer<typeof input>> {
  const offered = (skill: Skill) => isOffered(skill, settings);
  return worldTool<z.infer<typeof input>>({
    name: 'discover_skills',
    description:
      'Searches skills: instructions for kinds of tasks. Search before you begin; activate_skill gives you the instructions.',
    risk: 'read',
    idempotent: true,
    input,
    inputSchema: briefSchema(input, { words: { query: 'what you want to do; without it: all' } }),
    async run({ query, limit }, { faculty }) {
      const all = await library();
      if (query) {
        const { best, found } = rankSkills(all, { text: query }, limit, offered);
        const skills = best.map(({ skill }) => skill);
        return show(skills, found, faculty, query);
      }
      const listed = indexOf(all).skills.filter(offered);
      return show(listed.slice(0, limit), listed.length, faculty, null);
    },
  });
}

function show(skills: readonly Skill[], found: number, faculty: string, query: string | null): ToolOutput {
  const details = { found, names: skills.map(({ name }) => name) };
  if (found === 0) {
    const none = 'No skill has any of these words. Try other words, or go on without one.';
    return { content: query ? none : 'There are no skills.', details };
  }
  const lines = skills.map((skill) => `${catalogueLine(skill)}${notesOf(skill, faculty)}`);
  const more = found > skills.length ? [`[the first ${skills.length} of ${found}; a narrower query finds others]`] : [];
  return { content: [...lines, ...more].join('\n'), details };
}

function notesOf(skill: Skill, faculty: string): string {
  const notes = [
    isForOthers(skill, faculty) && `for ${skill.triggers.faculties.join(', ')}`,
    skill.depends.length > 0 && `with ${skill.depends.join(', ')}`,
    skill.conflicts.length > 0 && `not together with ${skill.conflicts.join(', ')}`,
    skill.command !== null && `command /${skill.command}`,
    skill.compatibility !== null && `needs: ${skill.compatibility}`,
  ].filter((note) => note !== false);
  return notes.length === 0 ? '' : ` (${harmless(notes.join('; '))})`;
}
