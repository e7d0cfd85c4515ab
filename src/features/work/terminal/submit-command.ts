/** `animus work submit`. */

import { didYouMean } from '../../../core/errors/suggest.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { reportedSkills } from '../../../store/views/skill-views.ts';
import { collected, moment, wholeNumber } from '../../../terminal/command/arguments.ts';
import { attachment } from '../../../terminal/command/attachment.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { jsonObject, jsonOf } from '../../../terminal/command/json-option.ts';
import { warnIfUnserved } from '../../../terminal/command/known-faculties.ts';
import { type AddOperation, act } from '../../../terminal/command/operation-command.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { skillsDirectories } from '../../../terminal/command/skills-directories.ts';
import { workGoesOn } from '../../../terminal/command/work-goes-on.ts';
import { styled } from '../../../terminal/view/output.ts';
import { stateLabel, WORK_OF_ANOTHER } from '../../../terminal/view/quantities.ts';
import { submitWork } from '../submit.ts';
import { followWork } from './follow-work.ts';

type NewWork = Omit<Parameters<typeof submitWork.run>[1], 'parent_id'>;
type SubmittedWork = Awaited<ReturnType<typeof submitWork.run>>;

interface SubmitOptions extends CommonOptions {
  readonly skill?: string;
  readonly params?: string;
  readonly priority?: number;
  readonly dedupKey?: string;
  readonly runAt?: Date;
  readonly source?: string;
  readonly trigger?: string;
  readonly parent?: string;
  readonly detached?: boolean;
  readonly attach?: readonly string[];
  readonly batch?: boolean;
  readonly wait?: boolean;
  readonly faculties?: string;
}

/** Written by hand, because it may follow what it has submitted, in another connection. */
export const submit: AddOperation = (group, run) => {
  addCommand(group, 'submit <faculty> [description]', {
    summary: 'submit a work item; prints its id and whether it was created or merged into a duplicate',
    examples: [
      'animus work submit engineer "Fix the failing timezone test" --wait',
      'animus work submit reviewer --params @pull-request.json --dedup-key pr-17',
      'git log -1 | animus work submit writer - --run-at +10m',
      'animus work submit accountant "Check this invoice" --attach invoice.pdf --attach stamp.png',
    ],
  })
    .option('--skill <name>', 'the skill to start with')
    .option('--params <json>', 'a JSON object, or @file')
    .option('--priority <n>', 'higher runs first (default: 0)', wholeNumber(-2147483648, 2147483647))
    .option('--dedup-key <key>', 'while an item of this faculty with the same key is active, a new one merges into it')
    .option('--run-at <time>', 'do not run before: 2026-03-01T09:00, +90s, +10m, +2h, +1d', moment)
    .option('--source <text>', 'who submits it (default: cli)')
    .option('--trigger <json>', 'what caused it, as JSON or @file')
    .option('--parent <id>', 'submit it as a child of this item')
    .option('--detached', 'go on when the parent dies or is cancelled')
    .option('--attach <file>', 'an image, PDF or text that comes with it, at most 10 MiB; repeat for more', collected)
    .option('--batch', 'ask its turns in batches, at half the price and hours later (default: as the faculty says)')
    .option('--no-batch', 'ask its turns live')
    .option('--wait', 'wait until it has ended; exit 0 when it completed, else 1')
    .option('--faculties <dir>', 'directory that is searched for the faculty')
    .action(run(submitCommand));
};

async function submitCommand(
  invocation: Invocation,
  options: SubmitOptions,
  faculty: string,
  description: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const input = await readWork(invocation, options, faculty, description);
  const submitted = await withDatabase(invocation, async (db, whenStopped) => {
    const parent = options.parent === undefined ? undefined : await findWork(db, options.parent);
    const { result } = await act(invocation, db, submitWork, { input: { ...input, parent_id: parent } });
    whenStopped(workGoesOn(invocation, result.id));
    await warnIfUnserved(invocation, db, { name: faculty, directory: options.faculties });
    if (options.skill !== undefined) await warnIfNoSkill(invocation, db, options.skill);
    return result;
  });
  if (!options.wait) {
    output.document({
      id: submitted.id,
      result: resultOf(submitted),
      state: submitted.state,
      merged_into: submitted.merged_into,
    });
  }
  show(invocation, submitted);
  if (!options.wait) return 0;
  const { untilServed } = await import('./until-served.ts');
  await untilServed(invocation, submitted.id);
  return withDatabase(invocation, (db) => followWork(invocation, db, submitted), workGoesOn(invocation, submitted.id));
}

async function readWork(
  { context }: Invocation,
  options: SubmitOptions,
  faculty: string,
  description: string | undefined,
): Promise<NewWork> {
  const { attach = [] } = options;
  return {
    faculty,
    description: description === '-' ? await readInput(context.stdin) : description,
    params:
      options.params === undefined
        ? undefined
        : jsonObject('--params', jsonOf('--params', options.params, context.cwd)),
    skill: options.skill,
    dedup_key: options.dedupKey,
    concurrency_key: undefined,
    priority: options.priority,
    run_at: options.runAt,
    batch: options.batch,
    detached: options.detached,
    source: options.source,
    trigger_info: options.trigger === undefined ? undefined : jsonOf('--trigger', options.trigger, context.cwd),
    attachments: attach.map((file) => {
      const { name, content } = attachment(file, context.cwd);
      return { name, content: Buffer.from(content).toString('base64') };
    }),
  };
}

function show({ output }: Invocation, { id, state, merged_into: into }: SubmittedWork): void {
  if (state !== 'merged') output.line(styled(id, 'bold'), '  created  ', stateLabel(state));
  else output.line(styled(id, 'bold'), '  merged into ', into ?? WORK_OF_ANOTHER);
}

function resultOf(submitted: SubmittedWork): 'created' | 'merged' {
  return submitted.state === 'merged' ? 'merged' : 'created';
}

/**
 * Notes that nobody has the skill, as far as this command can know: what daemons have reported, else the directories here. The work would end dead
 * at its beginning.
 */
async function warnIfNoSkill(invocation: Invocation, db: Queryable, skill: string): Promise<void> {
  const known = (await reportedSkills(db)) ?? (await skillsHere(invocation));
  if (known.has(skill)) return;
  invocation.output.note(
    `no skill is named ${skill}${didYouMean(skill, known)}; unless there is one when the work begins, it ends as dead (then: animus work retry)`,
  );
}

async function skillsHere(invocation: Invocation): Promise<ReadonlySet<string>> {
  const { loadSkills } = await import('../../../catalog/skills/load-skills.ts');
  return new Set(loadSkills(await skillsDirectories(invocation, undefined)).skills.keys());
}
