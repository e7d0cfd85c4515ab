/** Text search over the skills of a library. Pure; the index of a library is built once. */
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { stemOf, wordsOf } from './words.ts';

/** A skill with its score; 0: nothing of it was asked for. */
export interface RankedSkill {
  readonly skill: Skill;
  readonly score: number;
}

/** What skills are ranked for. */
export interface SkillQuery {
  readonly text: string;
  /** Skills that name it come first among equals. */
  readonly faculty?: string;
}

interface Posting {
  readonly at: number;
  readonly weight: number;
}

interface SkillIndex {
  /** By name. */
  readonly skills: readonly Skill[];
  readonly postings: ReadonlyMap<string, readonly Posting[]>;
}

/** A word of the name or a keyword says more than one of the description. */
const WEIGHTS = { name: 3, keywords: 3, description: 1 } as const;
/** As much as a rare word of the description. */
const FACULTY_SCORE = 2;
/** Of the text that skills are ranked for: what a task is about stands at its beginning. */
const MAX_QUERY_CHARS = 16_384;
const MAX_QUERY_WORDS = 200;

const INDEXES = new WeakMap<SkillLibrary, SkillIndex>();

/** The index of a library; libraries do not change. */
export function indexOf(library: SkillLibrary): SkillIndex {
  let index = INDEXES.get(library);
  if (index === undefined) INDEXES.set(library, (index = build(library)));
  return index;
}

/**
 * All skills that have something of the query, best first; skills with the same score by name. The same library and query give the same
 * order on every machine.
 */
export function rankSkills(library: SkillLibrary, { text, faculty }: SkillQuery): RankedSkill[] {
  const { skills, postings } = indexOf(library);
  const scores = new Float64Array(skills.length);
  for (const stem of stemsOf(text)) {
    const found = postings.get(stem);
    // A word that most skills have tells them not apart, and costs the most.
    if (found === undefined || (found.length > 50 && found.length > skills.length / 4)) continue;
    const rarity = Math.log(1 + (skills.length - found.length + 0.5) / (found.length + 0.5));
    for (const { at, weight } of found) scores[at]! += (rarity * 2 * weight) / (weight + 1);
  }
  const ranked: RankedSkill[] = [];
  for (const [at, skill] of skills.entries()) {
    const named = faculty !== undefined && skill.triggers.faculties.includes(faculty) ? FACULTY_SCORE : 0;
    const score = scores[at]! + named;
    if (score > 0) ranked.push({ skill, score });
  }
  return ranked.sort((a, b) => b.score - a.score || compareNames(a.skill, b.skill));
}

/** In an order that does not depend on the language of the host. */
export function compareNames(a: Skill, b: Skill): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function build({ skills }: SkillLibrary): SkillIndex {
  const sorted = [...skills.values()].sort(compareNames);
  const postings = new Map<string, Posting[]>();
  for (const [at, skill] of sorted.entries()) {
    for (const [stem, weight] of weightsOf(skill)) {
      const list = postings.get(stem);
      if (list === undefined) postings.set(stem, [{ at, weight }]);
      else list.push({ at, weight });
    }
  }
  return { skills: sorted, postings };
}

function weightsOf({ name, description, triggers }: Skill): ReadonlyMap<string, number> {
  const weights = new Map<string, number>();
  const add = (text: string, weight: number) => {
    for (const stem of stemsOf(text)) weights.set(stem, (weights.get(stem) ?? 0) + weight);
  };
  add(name, WEIGHTS.name);
  add(triggers.keywords.join(' '), WEIGHTS.keywords);
  add(description, WEIGHTS.description);
  return weights;
}

function stemsOf(text: string): ReadonlySet<string> {
  const stems = new Set<string>();
  for (const word of wordsOf(text.slice(0, MAX_QUERY_CHARS))) {
    const stem = stemOf(word);
    if (stem !== null) stems.add(stem);
    if (stems.size >= MAX_QUERY_WORDS) break;
  }
  return stems;
}
