/** Writes the skills that a consolidate hook printed. */
import { isAnimusError, messageOf } from '../../../core/errors/errors.ts';
import { hookHasWritten } from '../../../store/skills/skill-versions.ts';
import { type SkillMode, storeNewSkill, storeSkillChange } from '../../../tools/skills/writing/store-version.ts';
import type { HookOutput } from '../../hooks/hook-output.ts';
import { lostEntry, type WrongEntry } from '../../hooks/printed-entries.ts';
import { recordHookLedger } from '../scope/focus-hook.ts';
import type { Focus } from '../scope/focus-scope.ts';

type PrintedSkill = Exclude<NonNullable<HookOutput['consolidate']['skills']>[number], WrongEntry>;

/**
 * Writes them under the focus's lease, each in a transaction of its own. A hook may run more than once, but a focus writes one version of a skill. What is
 * refused, or is not a skill, does not fail the work: a ledger entry says why.
 */
export async function storeHookSkills(focus: Focus, skills: HookOutput['consolidate']['skills']): Promise<void> {
  const mode = focus.faculty.skillCreation ?? 'no';
  for (const skill of skills ?? []) {
    if ('problem' in skill) {
      const content = lostEntry('a skill of the consolidate hook was not written', skill.problem, skill.printed);
      await recordHookLedger(focus, [{ type: 'error', content }]);
      continue;
    }
    const problem = mode === 'no' ? 'its faculty may not write skills' : await store(focus, skill, mode);
    if (problem === null) continue;
    const content = `skill ${skill.name} of the consolidate hook was not written: ${problem.slice(0, 2000).toWellFormed()}`;
    await recordHookLedger(focus, [{ type: 'error', content }]);
  }
}

/** Why it was not written; null if it was. */
async function store({ reach: { db }, key }: Focus, skill: PrintedSkill, mode: SkillMode): Promise<string | null> {
  const writer = { ...key, callId: null };
  try {
    return await db.transaction(async (tx) => {
      if (await hookHasWritten(tx, key.focusId, skill.name)) return null;
      const stored =
        'version' in skill
          ? await storeSkillChange(tx, writer, skill, mode)
          : await storeNewSkill(tx, writer, skill, mode);
      return 'problem' in stored ? stored.problem : null;
    });
  } catch (error) {
    if (!isAnimusError(error, 'work.state', 'work.invalid', 'work.not_found')) throw error;
    return messageOf(error);
  }
}
