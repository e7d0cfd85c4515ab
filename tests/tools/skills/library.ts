/** Skills as data for tests, without files. */
import type { Skill, SkillLibrary } from '../../../src/catalog/skills/skill.ts';

/** A skill with these properties. */
export function skillOf(name: string, of: Partial<Skill> = {}): Skill {
  return {
    name,
    description: `What ${name} is for.`,
    license: null,
    compatibility: null,
    metadata: {},
    allowedTools: null,
    body: `How ${name} is done.`,
    prompt: null,
    directory: `/skills/${name}`,
    files: [{ path: 'SKILL.md', bytes: 1 }],
    contentHash: Buffer.from(name).toString('hex').padEnd(64, '0').slice(0, 64),
    triggers: triggers(),
    depends: [],
    conflicts: [],
    version: null,
    origin: 'person',
    command: null,
    ...of,
  };
}

/** Triggers with these properties, and `auto`. */
export function triggers(of: Partial<Skill['triggers']> = {}): Skill['triggers'] {
  return { faculties: [], keywords: [], params: {}, auto: Object.keys(of).length > 0, ...of };
}

/** A library of these skills. */
export function libraryOf(...skills: readonly Skill[]): SkillLibrary {
  return { skills: new Map(skills.map((skill) => [skill.name, skill])), problems: [], directories: [] };
}
