/** activate_skill: gives a focus the instructions and files of a skill. */
import { z } from 'zod';
import type { SkillSettings } from '../../catalog/faculty/skill-settings.ts';
import { readSkillFiles } from '../../catalog/skills/read-skill-files.ts';
import type { Skill, SkillLibrary } from '../../catalog/skills/skill.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { harmless } from '../../core/text/harmless.ts';
import { activatedSkills, activateSkills } from '../../store/skills/activations.ts';
import { activationOf, readSkillTokens } from '../../store/skills/focus-skills.ts';
import { type PackageFile, storeSkillPackage } from '../../store/skills/packages.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { addMessage } from '../../store/transcript/messages.ts';
import { count } from '../../telemetry/metrics.ts';
import { briefSchema } from '../brief-schema.ts';
import { someText } from '../some-text.ts';
import { type DatabaseTool, databaseTool, type ToolContext, type ToolOutput, toolError } from '../tool.ts';
import { isOffered, MAX_ACTIVE, withDependencies } from './choose-skills.ts';
import { chosenWithDependencies, type PreparedSkill, prepareActivation } from './prepare-activation.ts';

/** The name of the tool. */
export const ACTIVATE_SKILL = 'activate_skill';

const input = z.strictObject({
  name: someText(200).describe('the name of the skill, as the list of skills and discover_skills show it'),
});

/** What is read before the transaction: no file is read while a row is locked. */
type Read =
  | { readonly problem: string }
  | {
      readonly skill: Skill;
      readonly library: SkillLibrary;
      readonly files: ReadonlyMap<string, readonly PackageFile[]>;
    };

/** The tool of a faculty with these settings. Package, activation and message are one transaction with the journal row of the call. */
export function activateSkillTool(
  settings: SkillSettings,
  library: () => Promise<SkillLibrary>,
): DatabaseTool<z.infer<typeof input>> {
  return databaseTool<z.infer<typeof input>>({
    name: ACTIVATE_SKILL,
    description:
      'Adds the instructions of a skill to your context; its files are then at skills/NAME/. Activate only what you need, before the task.',
    risk: 'read',
    input,
    inputSchema: briefSchema(input),
    notFromCode: () => 'the instructions of a skill are for you and not for code: call activate_skill directly',
    prepare: async ({ name }) => read(name, settings, await library()),
    run: (_input, context, tx) => activate(context.prepared as Read, context, tx),
  });
}

/** Errors: `skill.changed` if somebody is changing its files. */
function read(name: string, settings: SkillSettings, library: SkillLibrary): Read {
  const offered = [...library.skills.values()].filter((skill) => isOffered(skill, settings));
  const skill = offered.find((one) => one.name === name);
  if (skill === undefined) {
    const names = offered.map((one) => one.name);
    return {
      problem: `there is no skill named ${harmless(name)}${didYouMean(name, names)}; discover_skills lists them`,
    };
  }
  const { skills } = withDependencies(skill, library, new Set());
  return { skill, library, files: new Map(skills.map((one) => [one.contentHash, readSkillFiles(one)])) };
}

async function activate(prepared: Read, context: ToolContext, tx: Queryable): Promise<ToolOutput> {
  if ('problem' in prepared) return toolError(prepared.problem);
  const { skill, library, files } = prepared;
  const active = await activatedSkills(tx, context.focusId);
  const names = new Set(active.map(({ name }) => name));
  if (names.has(skill.name)) {
    const details = { skill: skill.name, activated: [] };
    return { content: `${skill.name} is active already: its instructions are above in your context.`, details };
  }
  const chosen = chosenWithDependencies(skill, 'model', library, names);
  const known = active.flatMap(({ name }) => library.skills.get(name) ?? []);
  const skills = prepareActivation(chosen, library, known);
  const problem = await noRoom(skills, names.size, context, tx);
  if (problem !== null) return toolError(problem);
  for (const one of skills) await storeSkillPackage(tx, one, async () => files.get(one.hash) ?? []);
  await activateSkills(tx, context, skills.map(activationOf));
  for (const { content, tokens } of skills) {
    await addMessage(tx, context, { afterTurn: context.turn, kind: 'skill', content }, tokens);
  }
  for (const { reason } of skills) count('work.skills.activated', 1, { faculty: context.faculty, reason });
  return { content: reportOf(skill, skills), details: detailsOf(skill, skills) };
}

async function noRoom(
  skills: readonly PreparedSkill[],
  active: number,
  { focusId, skills: scope }: ToolContext,
  tx: Queryable,
): Promise<string | null> {
  if (active + skills.length > MAX_ACTIVE) {
    return `${active} skills are active, and at most ${MAX_ACTIVE} can be: go on with the ones that you have`;
  }
  const tokens = skills.reduce((sum, one) => sum + one.tokens, 0);
  const used = await readSkillTokens(tx, focusId);
  const most = scope?.maxTokens ?? Infinity;
  if (used + tokens <= most) return null;
  return `its instructions take about ${tokens} tokens, and skills may take ${most} of your context, of which ${used} are used: go on without it`;
}

function reportOf(skill: Skill, skills: readonly PreparedSkill[]): string {
  const others = skills.filter((one) => one.skill !== skill).map(({ name }) => name);
  const also = others.length === 0 ? '' : ` It builds on ${others.join(', ')}: active now, too.`;
  return `${skill.name} is active: its instructions follow.${also}`;
}

function detailsOf(skill: Skill, skills: readonly PreparedSkill[]) {
  return {
    skill: skill.name,
    activated: skills.map(({ name, version, hash, reason }) => ({ name, version, hash, reason })),
  };
}
