/** Which skills a focus begins with: the one that its item names, and those whose triggers fit. Pure. */
import type { SkillSettings } from '../../catalog/faculty/skill-settings.ts';
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { indexOf, rankSkills } from './skill-index.ts';
import { type SkillTask, textOf } from './skill-task.ts';
import { triggeredBy } from './triggers.ts';

/** Why a skill is active: its item names it, its triggers fit, another one needs it, or the model asked for it. */
export type ActivationReason = 'item' | 'auto' | 'dependency' | 'model';

/** A skill that is to be activated. */
export interface ChosenSkill {
  readonly skill: Skill;
  readonly reason: ActivationReason;
}

/** A skill whose triggers fit and that is not activated nevertheless. */
export interface HeldBack {
  readonly skill: Skill;
  readonly why: string;
}

export interface AutomaticChoice {
  /** In the order of activation: a skill after those it depends on. */
  readonly chosen: readonly ChosenSkill[];
  readonly heldBack: readonly HeldBack[];
}

/** Active skills of one focus, however they became active. */
export const MAX_ACTIVE = 20;

/** Whether foci with these settings see a skill. */
export function isOffered({ name }: Pick<Skill, 'name'>, { offered }: Pick<SkillSettings, 'offered'>): boolean {
  return offered.includes('*') || offered.includes(name);
}

/** How many skills of the library foci with these settings see. */
export function countOffered({ skills }: SkillLibrary, settings: Pick<SkillSettings, 'offered'>): number {
  if (settings.offered.includes('*')) return skills.size;
  return new Set(settings.offered.filter((name) => skills.has(name))).size;
}

/** Whether a skill is for others: it names faculties, and this one is not among them. It is not listed then, and can be activated by name. */
export function isForOthers({ triggers }: Skill, faculty: string): boolean {
  return triggers.faculties.length > 0 && !triggers.faculties.includes('*') && !triggers.faculties.includes(faculty);
}

/**
 * A skill with the skills that it depends on and that are not active: these first, each once. Names that the library does not have are left
 * out; `missing` lists them. Dependencies may go round in circles.
 */
export function withDependencies(
  skill: Skill,
  library: SkillLibrary,
  active: ReadonlySet<string>,
): { readonly skills: readonly Skill[]; readonly missing: readonly string[] } {
  const skills: Skill[] = [];
  const missing = new Set<string>();
  const seen = new Set<string>(active);
  // Nobody activates more at once, so a longer way down is not walked to its end.
  const visit = (one: Skill, depth: number) => {
    if (depth > MAX_ACTIVE || seen.has(one.name)) return;
    seen.add(one.name);
    for (const name of one.depends) {
      const needed = library.skills.get(name);
      if (needed !== undefined) visit(needed, depth + 1);
      else if (!active.has(name)) missing.add(name);
    }
    skills.push(one);
  };
  visit(skill, 0);
  return { skills, missing: [...missing] };
}

/** The active skills that a skill conflicts with, whichever of the two says so. */
export function conflictsOf(skill: Skill, active: readonly Skill[]): Skill[] {
  return active.filter(
    ({ name, conflicts }) => name !== skill.name && (skill.conflicts.includes(name) || conflicts.includes(skill.name)),
  );
}

/**
 * The skills whose triggers fit the task, best first, at most `maxAutoActivated` with those they depend on. One that conflicts with a skill that is
 * active or chosen already, or that has no room with its dependencies, is held back. `before`: what the item's own skill has activated.
 */
export function chooseAutomatic(
  task: SkillTask,
  library: SkillLibrary,
  settings: SkillSettings,
  before: readonly Skill[],
): AutomaticChoice {
  if (!settings.autoActivate || settings.maxAutoActivated === 0) return NOTHING;
  const fitting = triggeredBy(task, library).filter((skill) => isOffered(skill, settings));
  if (fitting.length === 0) return NOTHING;
  const chosen: ChosenSkill[] = [];
  const heldBack: HeldBack[] = [];
  const active = () => [...before, ...chosen.map(({ skill }) => skill)];
  for (const skill of fitting) {
    const names = new Set(active().map(({ name }) => name));
    if (names.has(skill.name)) continue;
    const { skills } = withDependencies(skill, library, names);
    const [conflict] = skills.flatMap((one) => conflictsOf(one, active()));
    if (conflict !== undefined) heldBack.push({ skill, why: `it conflicts with ${conflict.name}` });
    else if (chosen.length + skills.length > settings.maxAutoActivated || names.size + skills.length > MAX_ACTIVE)
      heldBack.push({ skill, why: 'as many skills as the faculty allows were activated already' });
    else chosen.push(...withReasons(skills, skill, 'auto'));
  }
  return { chosen, heldBack };
}

/** A skill with those that it depends on, by why they are activated. */
export function withReasons(skills: readonly Skill[], asked: Skill, reason: ActivationReason): ChosenSkill[] {
  return skills.map((skill) => ({ skill, reason: skill === asked ? reason : 'dependency' }));
}

const NOTHING: AutomaticChoice = { chosen: [], heldBack: [] };

/** `most` skills for the list of the first message, best first: those that say something about the task, then others by name. */
export function rankForTask(
  task: SkillTask,
  library: SkillLibrary,
  settings: SkillSettings,
  most: number,
  active: ReadonlySet<string> = new Set(),
): Skill[] {
  if (most === 0) return [];
  const listed = (skill: Skill) =>
    isOffered(skill, settings) && !isForOthers(skill, task.faculty) && !active.has(skill.name);
  const query = { text: textOf(task), faculty: task.faculty };
  const skills = rankSkills(library, query, most, listed).best.map(({ skill }) => skill);
  const first = new Set(skills);
  for (const skill of indexOf(library).skills) {
    if (skills.length >= most) break;
    if (!first.has(skill) && listed(skill)) skills.push(skill);
  }
  return skills;
}
