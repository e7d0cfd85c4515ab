/** The tool that gives a part of the work to another faculty. */
import { z } from 'zod';
import type { ChildSettings } from '../../catalog/faculty/faculty.ts';
import type { SkillLibrary } from '../../catalog/skills/skill.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { harmless } from '../../core/text/harmless.ts';
import { spawnChildWork } from '../../store/transcript/children.ts';
import { count } from '../../telemetry/metrics.ts';
import { currentTraceparent } from '../../telemetry/spans.ts';
import { someText } from '../some-text.ts';
import { databaseTool, type Tool, toolError } from '../tool.ts';

/** For a faculty that may spawn these faculties. Effect and journal row are one transaction, so a child is spawned exactly once. */
export function spawnChildTool(
  { faculties, maxChildren, maxDepth }: ChildSettings,
  library: () => Promise<SkillLibrary>,
): Tool {
  return databaseTool({
    name: 'spawn_child_work',
    description:
      'Gives a part of your work to another faculty, as a work item of its own that runs while you go on. Returns its id. The one who does it sees only ' +
      'the description and params, nothing of your context: say all that is needed, and what to return. Spawn everything that can run at the same time first, then ' +
      'collect the results with await_child_work. Child work is cancelled when you fail or are cancelled, unless it is detached.',
    // The faculty names whom it may spawn, and budgets bound what that costs: no person is asked by default.
    risk: 'write',
    input: z.strictObject({
      faculty: z.enum(faculties as readonly [string, ...string[]]).describe('who does it'),
      description: someText(100_000).describe('the whole task, and what the result should contain'),
      params: z.record(z.string(), z.unknown()).default({}).describe('data for the task'),
      skill: someText(64).optional().describe('the skill that it begins with; it must exist'),
      priority: z.int().min(-1_000_000).max(1_000_000).optional().describe('higher runs first; default: yours'),
      dedup_key: z
        .string()
        .min(1)
        .max(500)
        .optional()
        .describe('if work of this faculty with this key is under way, nothing is started: you get its result'),
      detached: z.boolean().default(false).describe('it goes on when you fail or are cancelled, and nobody awaits it'),
    }),
    async run({ dedup_key: dedupKey = null, skill = null, priority = null, ...child }, context, tx) {
      const { skills } = await library();
      if (skill !== null && !skills.has(skill)) {
        return toolError(
          `there is no skill named ${harmless(skill)}${didYouMean(skill, skills.keys())}: nothing was started`,
        );
      }
      const wanted = { ...child, dedupKey, skill, priority, traceContext: currentTraceparent() };
      const spawned = await spawnChildWork(tx, context, wanted, { maxChildren, maxDepth });
      const { id, state, mergedInto, earlier } = spawned;
      if (!earlier) count('work.child.spawned', 1, { faculty: context.faculty, child: child.faculty });
      const into = mergedInto ?? 'work of somebody else';
      const merged = `${id}: merged into ${into}, which does the same work already; await ${id} to get its result`;
      const said = state === 'merged' ? merged : `${id}: ${state}`;
      return {
        content: earlier ? `${said}; ${EARLIER}` : said,
        details: { child: id, state, merged_into: mergedInto, faculty: child.faculty, ...(earlier && { earlier }) },
      };
    },
  });
}

const EARLIER =
  'an earlier attempt spawned it with the same description and params, and nothing new was started. Await it to get its result; to have it done again, say in the description what is different';
