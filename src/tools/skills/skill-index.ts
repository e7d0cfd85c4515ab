/** Text search over the skills of a library. Pure; the index of a library is built once. */
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { rememberedOf } from '../../core/text/remembered.ts';
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

/** The best skills, and how many have anything of the query. */
export interface SkillRanking {
  readonly best: readonly RankedSkill[];
  readonly found: number;
}

/** Where a word is: the place of a skill in the index, and the weight of the word in it, one after the other. */
type Postings = number[];

interface SkillIndex {
  /** By name. */
  readonly skills: readonly Skill[];
  readonly postings: ReadonlyMap<string, Postings>;
  /** Places of the skills that name a faculty. */
  readonly faculties: ReadonlyMap<string, readonly number[]>;
}

/** A word of the name or a keyword says more than one of the description. */
const WEIGHTS = { name: 3, keywords: 3, description: 1 } as const;
/** As much as a rare word of the description. */
const FACULTY_SCORE = 2;
/** Of the text that skills are ranked for: what a task is about stands at its beginning. */
const MAX_QUERY_CHARS = 16_384;
const MAX_QUERY_WORDS = 200;

/** The index of a library; libraries do not change. */
export const indexOf: (library: SkillLibrary) => SkillIndex = rememberedOf(build);

/**
 * The `most` skills that have most of the query, among those that `accepts` takes; skills with the same score by name. The same library and query give
 * the same order on every machine.
 */
export function rankSkills(
  library: SkillLibrary,
  { text, faculty }: SkillQuery,
  most: number,
  accepts: (skill: Skill) => boolean = () => true,
): SkillRanking {
  const { skills, postings, faculties } = indexOf(library);
  const scores = new Float64Array(skills.length);
  for (const stem of stemsOf(text)) {
    const found = postings.get(stem);
    const count = (found?.length ?? 0) / 2;
    // A word that most skills have tells them not apart, and costs the most.
    if (found === undefined || (count > 50 && count > skills.length / 4)) continue;
    const rarity = Math.log(1 + (skills.length - count + 0.5) / (count + 0.5));
    for (let n = 0; n < found.length; n += 2) scores[found[n]!]! += (rarity * 2 * found[n + 1]!) / (found[n + 1]! + 1);
  }
  for (const at of (faculty !== undefined && faculties.get(faculty)) || []) scores[at]! += FACULTY_SCORE;
  return best(scores, skills, most, accepts);
}

/** Sorts only what may be among the best. */
function best(
  scores: Float64Array,
  skills: readonly Skill[],
  most: number,
  accepts: (skill: Skill) => boolean,
): SkillRanking {
  let kept: number[] = [];
  let found = 0;
  let least = 0;
  const byScore = (a: number, b: number) => scores[b]! - scores[a]! || a - b;
  for (let at = 0; at < scores.length; at++) {
    const score = scores[at]!;
    if (score === 0 || !accepts(skills[at]!)) continue;
    found += 1;
    if (score < least) continue;
    kept.push(at);
    if (kept.length < 4 * most) continue;
    kept = kept.sort(byScore).slice(0, most);
    least = scores[kept.at(-1)!]!;
  }
  const ranked = kept.sort(byScore).slice(0, most);
  return { best: ranked.map((at) => ({ skill: skills[at]!, score: scores[at]! })), found };
}

/** In an order that does not depend on the language of the host. */
export function compareNames(a: Skill, b: Skill): number {
  return a.name < b.name ? -1 : a.name > b.name ? 1 : 0;
}

function build({ skills }: SkillLibrary): SkillIndex {
  const sorted = [...skills.values()].sort(compareNames);
  const postings = new Map<string, Postings>();
  const faculties = new Map<string, number[]>();
  for (const [at, skill] of sorted.entries()) {
    for (const [stem, weight] of weightsOf(skill)) {
      const list = postings.get(stem);
      if (list === undefined) postings.set(stem, [at, weight]);
      else list.push(at, weight);
    }
    for (const name of skill.triggers.faculties) {
      const places = faculties.get(name);
      if (places === undefined) faculties.set(name, [at]);
      else places.push(at);
    }
  }
  return { skills: sorted, postings, faculties };
}

/** Skills that have not changed are the same objects in the next library. */
const weightsOf = rememberedOf(weigh);

function weigh({ name, description, triggers }: Skill): ReadonlyMap<string, number> {
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
