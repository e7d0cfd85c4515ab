/** Skills for the first message of a focus: the one that its item names, those whose triggers fit, and the list of the others. */
import { asksModel, type Faculty } from '../../../catalog/faculty/faculty.ts';
import type { SkillSettings } from '../../../catalog/faculty/skill-settings.ts';
import type { Skill, SkillLibrary } from '../../../catalog/skills/skill.ts';
import { AnimusError } from '../../../core/errors/errors.ts';
import { didYouMean } from '../../../core/errors/suggest.ts';
import { activateSkills } from '../../../store/skills/activations.ts';
import { activationOf } from '../../../store/skills/focus-skills.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { toText } from '../../../store/sql/json.ts';
import type { FocusKey } from '../../../store/transcript/focus-row.ts';
import { addMessage, type EngineMessage } from '../../../store/transcript/messages.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import { count } from '../../../telemetry/metrics.ts';
import { span } from '../../../telemetry/spans.ts';
import {
  type ChosenSkill,
  chooseAutomatic,
  countOffered,
  type HeldBack,
  isOffered,
  MAX_ACTIVE,
  rankForTask,
} from '../../../tools/skills/choose-skills.ts';
import {
  chosenWithDependencies,
  type PreparedSkill,
  prepareActivation,
} from '../../../tools/skills/prepare-activation.ts';
import { offersAny } from '../../../tools/skills/skill-source.ts';
import { catalogueText, heldBackText, mostLines } from '../../../tools/skills/skill-text.ts';
import type { FocusReach } from '../scope/focus-scope.ts';

/** What a focus begins with. */
export interface OrientSkills {
  /** A part of the first message; null without skills. */
  readonly catalogue: string | null;
  /** In the order in which they become active. */
  readonly activated: readonly PreparedSkill[];
}

const NONE: OrientSkills = { catalogue: null, activated: [] };

type SkillSources = Pick<FocusReach, 'skills' | 'models'>;

/**
 * Chooses the skills of a focus and writes their messages; nothing is recorded. Errors: `skill.unknown` if the item names a skill that does not
 * exist, or that the faculty does not offer.
 */
export async function skillsFor(
  work: Pick<ClaimedWork, 'id' | 'faculty' | 'skill' | 'description' | 'params'>,
  faculty: Faculty,
  focusId: string,
  reach: SkillSources,
): Promise<OrientSkills> {
  const library = await libraryFor(work.skill, reach);
  const { skills: settings = NO_SETTINGS } = faculty;
  const own = work.skill === null ? [] : itemSkill(work.skill, faculty, settings, library);
  if (own.length === 0 && !offersAny(library, settings)) return NONE;
  const attributes = { 'work.id': work.id, 'work.faculty': work.faculty };
  return span('work.skills.auto_activate', attributes, async (choosing) => {
    const before = own.map(({ skill }) => skill);
    const { chosen, heldBack } = chooseAutomatic(work, library, settings, before);
    const all = prepareActivation([...own, ...chosen], library);
    const [activated, noRoom] = all.length === 0 ? [[], []] : withinRoom(all, own.length, faculty, focusId, reach);
    choosing.set({ 'work.skills.activated': activated.map(({ name }) => name).join(' ') });
    const catalogue = asksModel(faculty.engage)
      ? catalogueOf(work, library, settings, activated, [...heldBack, ...noRoom])
      : null;
    return { catalogue, activated };
  });
}

/** Reads the directories again before an item's skill is said not to exist. */
async function libraryFor(name: string | null, { skills: { shelf } }: SkillSources): Promise<SkillLibrary> {
  const library = await shelf.ready();
  return name === null || library.skills.has(name) ? library : shelf.refresh();
}

/** Of a snapshot of an earlier animus. */
const NO_SETTINGS: SkillSettings = { offered: [], catalogueMaxTokens: 0, autoActivate: false, maxAutoActivated: 0 };

function itemSkill(name: string, faculty: Faculty, settings: SkillSettings, library: SkillLibrary): ChosenSkill[] {
  const skill = library.skills.get(name);
  if (skill !== undefined && isOffered(skill, settings)) {
    // It stands after those it depends on.
    return chosenWithDependencies(skill, 'item', library, new Set()).slice(-MAX_ACTIVE);
  }
  throw new AnimusError('skill.unknown', { name, hint: hintOf(name, skill, faculty, library) });
}

function hintOf(name: string, skill: Skill | undefined, faculty: Faculty, { skills, problems }: SkillLibrary): string {
  if (skill !== undefined) return ` that the faculty ${faculty.name} offers ([faculty.skills] offered)`;
  const problem = problems.find((one) => one.skill === name && one.level === 'error');
  return problem === undefined ? didYouMean(name, skills.keys()) : `: it was left out, because ${problem.message}`;
}

/** Skills that were not asked for are left out where their messages would take more than skills may. */
function withinRoom(
  all: readonly PreparedSkill[],
  asked: number,
  faculty: Faculty,
  focusId: string,
  reach: SkillSources,
): [PreparedSkill[], HeldBack[]] {
  let room = skillRoom(faculty, focusId, reach);
  const activated: PreparedSkill[] = [];
  const heldBack: HeldBack[] = [];
  for (const [index, one] of all.entries()) {
    room -= one.tokens;
    if (index < asked || room >= 0) activated.push(one);
    else {
      room += one.tokens;
      heldBack.push({ skill: one.skill, why: `its instructions take about ${one.tokens} tokens, which is too much` });
    }
  }
  return [activated, heldBack];
}

/** Tokens that the messages of skills may take: a quarter of the window beside an answer. They stay for as long as the focus runs. */
export function skillRoom(faculty: Faculty, focusId: string, { models }: Pick<FocusReach, 'models'>): number {
  if (!asksModel(faculty.engage)) return Infinity;
  const { contextWindow, settings } = models.forFocus(faculty, focusId);
  return Math.max(0, Math.floor((contextWindow - settings.maxTokens) / 4));
}

function catalogueOf(
  work: Pick<ClaimedWork, 'faculty' | 'description' | 'params'>,
  library: SkillLibrary,
  settings: SkillSettings,
  activated: readonly PreparedSkill[],
  heldBack: readonly HeldBack[],
): string | null {
  const active = new Set(activated.map(({ name }) => name));
  const listed = rankForTask(work, library, settings, mostLines(settings.catalogueMaxTokens), active);
  const parts = [
    catalogueText(listed, settings.catalogueMaxTokens, countOffered(library, settings)),
    heldBackText(heldBack),
  ];
  const texts = parts.filter((part) => part !== null);
  return texts.length === 0 ? null : texts.join('\n\n');
}

/** Records activations and their messages, in the transaction of the first message. Their packages are stored. */
export async function recordSkills(tx: Queryable, key: FocusKey, skills: readonly PreparedSkill[]): Promise<void> {
  if (skills.length === 0) return;
  await activateSkills(tx, key, skills.map(activationOf));
  for (const { content, tokens } of skills) {
    await addMessage(tx, key, { afterTurn: 0, kind: 'skill', content }, tokens);
  }
}

/** The messages as they are read back. */
export function skillMessages(skills: readonly PreparedSkill[]): EngineMessage[] {
  return skills.map(({ content }) => ({ afterTurn: 0, kind: 'skill', content: toText(content) }));
}

/** Counts what has been recorded. */
export function countActivated(faculty: string, skills: readonly PreparedSkill[]): void {
  for (const { reason } of skills) count('work.skills.activated', 1, { faculty, reason });
}
