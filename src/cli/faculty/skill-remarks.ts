/** What `animus faculty check` remarks about the skills that a faculty offers. */
import type { Faculty } from '../../catalog/faculty/faculty.ts';
import type { SkillLibrary } from '../../catalog/skills/skill.ts';
import { type Problem, problemAt } from '../../core/errors/problem.ts';
import { didYouMean } from '../../core/errors/suggest.ts';

const KEY = 'skills.offered';

/** Names that no skill here has. Remarks and not problems: a skill may be added, or written by work, at any time. */
export function skillRemarks({ file, skills, origins }: Faculty, library: SkillLibrary): readonly Problem[] {
  const at = origins[KEY];
  const line = at?.startsWith(`${file}:`) ? Number(at.slice(file.length + 1)) : null;
  return (skills?.offered ?? [])
    .filter((name) => name !== '*' && !library.skills.has(name))
    .map((name) => {
      const detail = `no usable skill is named ${name}${didYouMean(name, library.skills.keys())}`;
      return problemAt('config.conflict', { file, line, key: `faculty.${KEY}` }, { detail });
    });
}
