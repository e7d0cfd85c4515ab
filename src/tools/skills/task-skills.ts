/** The skills that a focus begins with: chosen for its task, with their messages, and the list of the others. Pure. */
import type { SkillSettings } from '../../catalog/faculty/skill-settings.ts';
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import {
  type ChosenSkill,
  chooseAutomatic,
  countOffered,
  type HeldBack,
  isOffered,
  MAX_ACTIVE,
  rankForTask,
} from './choose-skills.ts';
import { chosenWithDependencies, type PreparedSkill, prepareActivation } from './prepare-activation.ts';
import type { SkillTask } from './skill-task.ts';
import { catalogueText, heldBackText, mostLines } from './skill-text.ts';

export interface TaskSkills {
  /** A part of the first message; null without skills. */
  readonly catalogue: string | null;
  /** In the order in which they become active. */
  readonly activated: readonly PreparedSkill[];
}

/** What is chosen from. */
export interface SkillOffer {
  readonly library: SkillLibrary;
  readonly settings: SkillSettings;
  /** Whether a model reads the list. */
  readonly isListed: boolean;
  /** Tokens that the messages of skills may take; asked only where one has been chosen. */
  readonly room: () => number;
}

/** `asked`: by the item. */
export function skillsOfTask(task: SkillTask, asked: readonly ChosenSkill[], offer: SkillOffer): TaskSkills {
  const { library, settings, isListed, room } = offer;
  const before = asked.map(({ skill }) => skill);
  const { chosen, heldBack } = chooseAutomatic(task, library, settings, before);
  const all = prepareActivation([...asked, ...chosen], library);
  const [activated, noRoom] = all.length === 0 ? [[], []] : withinRoom(all, asked.length, room());
  const catalogue = isListed ? catalogueOf(task, library, settings, activated, [...heldBack, ...noRoom]) : null;
  return { catalogue, activated };
}

/** The skill that an item names, after those it depends on. Errors: `skill.unknown`. */
export function askedSkills(
  name: string,
  faculty: string,
  settings: SkillSettings,
  library: SkillLibrary,
): ChosenSkill[] {
  const skill = library.skills.get(name);
  if (skill !== undefined && isOffered(skill, settings)) {
    return chosenWithDependencies(skill, 'item', library, new Set()).slice(-MAX_ACTIVE);
  }
  throw new AnimusError('skill.unknown', { name, hint: hintOf(name, skill, faculty, library) });
}

function hintOf(name: string, skill: Skill | undefined, faculty: string, { skills, problems }: SkillLibrary): string {
  if (skill !== undefined) return ` that the faculty ${faculty} offers ([faculty.skills] offered)`;
  const problem = problems.find((one) => one.skill === name && one.level === 'error');
  return problem === undefined ? didYouMean(name, skills.keys()) : `: it was left out, because ${problem.message}`;
}

/** Skills that were not asked for are left out where their messages would take more than skills may. */
function withinRoom(all: readonly PreparedSkill[], asked: number, room: number): [PreparedSkill[], HeldBack[]] {
  let left = room;
  const activated: PreparedSkill[] = [];
  const heldBack: HeldBack[] = [];
  for (const [index, one] of all.entries()) {
    left -= one.tokens;
    if (index < asked || left >= 0) activated.push(one);
    else {
      left += one.tokens;
      heldBack.push({ skill: one.skill, why: `its instructions take about ${one.tokens} tokens, which is too much` });
    }
  }
  return [activated, heldBack];
}

function catalogueOf(
  task: SkillTask,
  library: SkillLibrary,
  settings: SkillSettings,
  activated: readonly PreparedSkill[],
  heldBack: readonly HeldBack[],
): string | null {
  const active = new Set(activated.map(({ name }) => name));
  const listed = rankForTask(task, library, settings, mostLines(settings.catalogueMaxTokens), active);
  const parts = [
    catalogueText(listed, settings.catalogueMaxTokens, countOffered(library, settings)),
    heldBackText(heldBack),
  ];
  const texts = parts.filter((part) => part !== null);
  return texts.length === 0 ? null : texts.join('\n\n');
}
