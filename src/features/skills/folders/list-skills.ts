/** `animus skill list`: the skills that loaded. */
import { loadSkills } from '../../../catalog/skills/load-skills.ts';
import type { Skill } from '../../../catalog/skills/skill.ts';
import type { CommonOptions, Invocation } from '../../../terminal/command/command.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { styled } from '../../../terminal/view/output.ts';
import { counted } from '../../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../../terminal/view/table.ts';

export interface SkillOptions extends CommonOptions {
  readonly skills?: string;
}

interface ListOptions extends SkillOptions {
  readonly stale?: boolean;
}

/** Prints the skills of all directories, without those that are left out. */
export async function listSkills(invocation: Invocation, options: ListOptions): Promise<number> {
  const { output } = invocation;
  if (options.stale) return (await import('./stale-skills.ts')).listStale(invocation);
  const { skills, problems, directories } = loadSkills(await skillsDirectories(invocation, options.skills));
  output.document({ directories, skills: [...skills.values()].map(skillLine), problems });
  showTable(
    output,
    [...skills.values()],
    [
      ['NAME', (skill) => styled(skill.name, 'bold')],
      [spare(right('FILES')), (skill) => String(skill.files.length)],
      [spare('BY'), (skill) => skill.origin],
      [cut('DESCRIPTION'), (skill) => skill.description],
    ],
  );
  if (skills.size === 0) output.note(`no skills in ${directories.join(', ')}`);
  if (problems.length > 0) output.note(`${counted(problems.length, 'problem')}; run: animus skill check`);
  return 0;
}

/** A skill for programs, without its texts. */
export function skillLine(skill: Skill) {
  const { name, description, version, origin, directory, triggers, command } = skill;
  return {
    name,
    description,
    version,
    origin,
    directory,
    files: skill.files.length,
    content_hash: skill.contentHash,
    triggers,
    command,
  };
}
