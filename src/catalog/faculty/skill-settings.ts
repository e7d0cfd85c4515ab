/** What a faculty says about skills: which its foci may use, and which are activated without being asked for. */
import type { z } from 'zod';
import { count, flag, textsMatching } from '../../core/toml/fields.ts';

/** How foci of a faculty use skills. */
export interface SkillSettings {
  /** Names of the skills that its foci see and may activate; `*` for all. Empty: none, and no tools for skills. */
  readonly offered: readonly string[];
  /** Of the list of skills in the first message, estimated; 0: no list. */
  readonly catalogueMaxTokens: number;
  /** Whether skills are activated when their triggers fit the work item. */
  readonly autoActivate: boolean;
  /** Skills activated so, the ones they depend on included. */
  readonly maxAutoActivated: number;
}

const NAME_OR_ALL = /^(?:\*|[^\s*/\\]{1,64})$/;

/** The keys of `[faculty.skills]`. */
export const skillFields = () => ({
  offered: textsMatching(
    NAME_OR_ALL,
    'the name of a skill, or *',
    'a list of at most 500 names of skills',
    500,
  ).default(['*']),
  catalogue_max_tokens: count(0, 50_000).default(1500),
});

/** The keys about skills in `[faculty.orient]`. */
export const autoActivationFields = () => ({
  auto_activate_skills: flag().default(true),
  max_auto_activated: count(0, 20).default(5),
});

/** The two tables as written, with defaults. */
interface Written {
  readonly skills: z.output<z.ZodObject<ReturnType<typeof skillFields>>>;
  readonly orient: z.output<z.ZodObject<ReturnType<typeof autoActivationFields>>>;
}

/** The settings of a faculty file. */
export function readSkillSettings({ skills, orient }: Written): SkillSettings {
  return {
    offered: skills.offered,
    catalogueMaxTokens: skills.catalogue_max_tokens,
    autoActivate: orient.auto_activate_skills,
    maxAutoActivated: orient.max_auto_activated,
  };
}
