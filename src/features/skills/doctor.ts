/** Checks the skills: every problem that leaves one out, and how many violate the format. */
import { loadSkills } from '../../catalog/skills/load-skills.ts';
import { type Finding, fine, note, problem } from '../../terminal/view/finding.ts';
import { counted } from '../../terminal/view/quantities.ts';
import type { Examined } from '../feature.ts';

/** No skills are fine: an agent can do without. */
export function examineSkills({ skillsDirectories: directories }: Examined): readonly Finding[] {
  const { skills, problems } = loadSkills(directories);
  const errors = problems.filter(({ level }) => level === 'error');
  if (errors.length > 0) return errors.map(({ message }) => problem('skills', message, REMEDY));
  const where = directories.join(', ');
  if (problems.length > 0)
    return [
      note(
        'skills',
        `${counted(skills.size, 'skill')} in ${where}, with ${counted(problems.length, 'remark')}`,
        REMEDY,
      ),
    ];
  return [fine('skills', `${counted(skills.size, 'skill')} in ${where}`)];
}

const REMEDY = 'run: animus skill check';
