/** Stores the packages of skills before foci begin with them. */
import { readSkillFiles } from '../../../catalog/skills/read-skill-files.ts';
import type { Skill } from '../../../catalog/skills/skill.ts';
import { storeSkillPackage } from '../../../store/skills/packages.ts';
import type { Queryable } from '../../../store/sql/database.ts';

type Stored = readonly { readonly skill: Skill }[];

/** Knows which packages the database has. */
export interface SkillStore {
  /** Stores those that it does not know to be stored. Errors: `skill.changed` if somebody is changing the files of one. */
  store(skills: Stored): Promise<void>;
  /** The database may not have them any more. */
  forget(skills: Stored): void;
}

/** Asks the database for each package once, so that foci begin without it. */
export function createSkillStore(db: Queryable): SkillStore {
  const known = new Set<string>();
  return {
    async store(skills) {
      for (const { skill } of skills) {
        if (known.has(skill.contentHash)) continue;
        const { name, contentHash: hash } = skill;
        await storeSkillPackage(db, { name, hash }, async () => readSkillFiles(skill));
        known.add(hash);
      }
    },
    forget(skills) {
      for (const { skill } of skills) known.delete(skill.contentHash);
    },
  };
}
