/** Which skills of a library a task triggers. Pure; the index of a library is built once. */
import type { Skill, SkillLibrary, SkillTriggers } from '../../catalog/skills/skill.ts';
import { rememberedOf } from '../../core/text/remembered.ts';
import { compareNames } from './skill-index.ts';
import { type SkillTask, textOf } from './skill-task.ts';
import { wordsOf } from './words.ts';

interface Keyword {
  readonly skill: Skill;
  readonly first: string;
  /** Its words between single spaces, with a space at both ends. */
  readonly phrase: string;
}

interface TriggerIndex {
  /** By the first word of the keyword. */
  readonly keywords: ReadonlyMap<string, readonly Keyword[]>;
  /** Skills without keywords, which params or faculties alone trigger. */
  readonly others: readonly Skill[];
}

/** Of the text that is searched for keywords. */
const MAX_TEXT_CHARS = 65_536;

const triggersOf = rememberedOf(build);

/**
 * The skills with `auto` all of whose kinds of triggers fit: the faculty is among its faculties, one of its keywords stands in the description or a text
 * of the params as whole words, and every param that it names has one of its values. Best first: more keywords, more params, then by name.
 */
export function triggeredBy(task: SkillTask, library: SkillLibrary): Skill[] {
  const { keywords, others } = triggersOf(library);
  const found = keywords.size === 0 ? new Map<Skill, number>() : keywordsIn(textOf(task), keywords);
  const scoreOf = (skill: Skill) => (found.get(skill) ?? 0) + 2 * Object.keys(skill.triggers.params).length;
  return [...found.keys(), ...others]
    .filter((skill) => fitsFaculty(skill, task.faculty) && fitsParams(skill, task.params))
    .sort((a, b) => scoreOf(b) - scoreOf(a) || compareNames(a, b));
}

function build({ skills }: SkillLibrary): TriggerIndex {
  const automatic = [...skills.values()].filter(({ triggers }) => triggers.auto);
  return {
    keywords: Map.groupBy(automatic.flatMap(keywordsOf), ({ first }) => first),
    others: automatic.filter(({ triggers }) => triggers.keywords.length === 0 && isNarrowed(triggers)),
  };
}

function isNarrowed({ faculties, params }: SkillTriggers): boolean {
  return faculties.length > 0 || Object.keys(params).length > 0;
}

function keywordsOf(skill: Skill): Keyword[] {
  return skill.triggers.keywords.flatMap((keyword) => {
    const words = wordsOf(keyword);
    const [first] = words;
    return first === undefined ? [] : [{ skill, first, phrase: ` ${words.join(' ')} ` }];
  });
}

function keywordsIn(text: string, keywords: TriggerIndex['keywords']): Map<Skill, number> {
  const words = wordsOf(text.slice(0, MAX_TEXT_CHARS));
  const all = ` ${words.join(' ')} `;
  const found = new Map<Skill, number>();
  for (const word of new Set(words)) {
    for (const { skill, phrase } of keywords.get(word) ?? []) {
      if (all.includes(phrase)) found.set(skill, (found.get(skill) ?? 0) + 1);
    }
  }
  return found;
}

function fitsFaculty({ triggers: { faculties } }: Skill, faculty: string): boolean {
  return faculties.length === 0 || faculties.includes('*') || faculties.includes(faculty);
}

/** Numbers and booleans are compared as they are written; a list fits if one of its entries does. */
function fitsParams({ triggers }: Skill, params: SkillTask['params']): boolean {
  return Object.entries(triggers.params).every(([key, values]) => {
    const given = Object.hasOwn(params, key) ? params[key] : undefined;
    const each = Array.isArray(given) ? given : [given];
    return each.some((one) => isPlain(one) && values.includes(String(one)));
  });
}

function isPlain(value: unknown): value is string | number | boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean';
}
