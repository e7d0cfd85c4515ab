/** Skills for the first message of a focus: the one that its item names, those whose triggers fit, and the list of the others. */
import { asksModel, type Faculty } from '../../../catalog/faculty/faculty.ts';
import type { SkillSettings } from '../../../catalog/faculty/skill-settings.ts';
import type { SkillLibrary } from '../../../catalog/skills/skill.ts';
import { toText } from '../../../store/sql/json.ts';
import type { EngineMessage } from '../../../store/transcript/messages.ts';
import type { ClaimedWork } from '../../../store/work/work.ts';
import { count } from '../../../telemetry/metrics.ts';
import { span } from '../../../telemetry/spans.ts';
import type { PreparedSkill } from '../../../tools/skills/prepare-activation.ts';
import { offersAny } from '../../../tools/skills/skill-source.ts';
import { askedSkills, skillsOfTask, type TaskSkills } from '../../../tools/skills/task-skills.ts';
import type { FocusReach } from '../scope/focus-scope.ts';

const NONE: TaskSkills = { catalogue: null, activated: [] };

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
): Promise<TaskSkills> {
  const library = await libraryFor(work.skill, reach);
  const { skills: settings = NO_SETTINGS } = faculty;
  if (work.skill === null && !offersAny(library, settings)) return NONE;
  const asked = work.skill === null ? [] : askedSkills(work.skill, faculty.name, settings, library);
  const attributes = { 'work.id': work.id, 'work.faculty': work.faculty };
  return span('work.skills.auto_activate', attributes, async (choosing) => {
    const room = () => skillRoom(faculty, focusId, reach);
    const found = skillsOfTask(work, asked, { library, settings, isListed: asksModel(faculty.engage), room });
    choosing.set({ 'work.skills.activated': found.activated.map(({ name }) => name).join(' ') });
    return found;
  });
}

/** Reads the directories again before an item's skill is said not to exist. */
async function libraryFor(name: string | null, { skills: { shelf } }: SkillSources): Promise<SkillLibrary> {
  const library = await shelf.ready();
  return name === null || library.skills.has(name) ? library : shelf.refresh();
}

/** Of a snapshot of an earlier animus. */
const NO_SETTINGS: SkillSettings = { offered: [], catalogueMaxTokens: 0, autoActivate: false, maxAutoActivated: 0 };

/** Tokens that the messages of skills may take: a quarter of the window beside an answer. They stay for as long as the focus runs. */
export function skillRoom(faculty: Faculty, focusId: string, { models }: Pick<FocusReach, 'models'>): number {
  if (!asksModel(faculty.engage)) return Infinity;
  const { contextWindow, settings } = models.forFocus(faculty, focusId);
  return Math.max(0, Math.floor((contextWindow - settings.maxTokens) / 4));
}

/** The messages as they are read back. */
export function skillMessages(skills: readonly PreparedSkill[]): EngineMessage[] {
  return skills.map(({ content }) => ({ afterTurn: 0, kind: 'skill', content: toText(content) }));
}

/** Counts what has been recorded. */
export function countActivated(faculty: string, skills: readonly PreparedSkill[]): void {
  for (const { reason } of skills) count('work.skills.activated', 1, { faculty, reason });
}
