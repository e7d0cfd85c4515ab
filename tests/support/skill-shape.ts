/** Loads one SKILL.md, as a table of shapes needs it. */
import { basename } from 'node:path';
import { loadSkills } from '../../src/catalog/skills/load-skills.ts';
import type { Skill } from '../../src/catalog/skills/skill.ts';
import { skillTree } from './skill-tree.ts';

/** A SKILL.md in the folder `a`, with these lines as its front matter. */
export const front = (...lines: string[]) => `---\n${lines.join('\n')}\n---\n\nDo it.\n`;
/** The fields that every skill has. */
export const good: readonly string[] = ['name: a', 'description: What and when.'];

/** The skill, and its problems as `level file:line what`. */
export function load(
  text: string | Buffer,
  strictness: 'lenient' | 'strict' = 'lenient',
  folder = 'a',
): { skill: Skill | undefined; problems: string[] } {
  const root = skillTree({ [`${folder}/SKILL.md`]: text });
  const { skills, problems } = loadSkills([root], { strictness });
  const shown = problems.map(({ level, file, line, what }) => `${level} ${basename(file)}:${line} ${what}`);
  return { skill: [...skills.values()][0], problems: shown };
}
