/** `animus memory add`. */

import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { MEMORY_LAYERS, type MemoryLayer, storeMemory } from '../../store/memory/memories.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { choice } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import type { AddOperation } from '../../terminal/command/operation-command.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { styled } from '../../terminal/view/output.ts';
import { jsonObject, words } from './values.ts';

export const add: AddOperation = (group, run) => {
  addCommand(group, 'add <content>', {
    summary: 'store a memory; the same text is stored once',
    arguments: { content: 'one fact, clear without its context; - reads standard input' },
    examples: [
      'animus memory add "Deployments to production need the approval of Ada" --kind procedure --tag deploy',
      'animus memory add "The invoices service owns table invoices" --project webshop',
      'animus memory add --everybody --kind preference "Dates are written 2026-11-22"',
    ],
  })
    .option(
      '--layer <layer>',
      'task, project or global (default: project with --project, task with --item, else global)',
      choice(MEMORY_LAYERS),
    )
    .option('--kind <kind>', 'a word such as fact, preference, procedure or lesson', 'fact')
    .option('--project <name>', 'of layer project')
    .option('--item <id>', 'store it for this work item: its task, its project, its submitter')
    .option('--tag <tags>', 'words to find it by, such as billing,invoices', words)
    .option('--metadata <json>', 'a JSON object', jsonObject)
    .option('--everybody', 'for all submitters; only operators may (default: for you)')
    .action(run(addMemory));
};

interface AddOptions extends CommonOptions {
  readonly layer?: MemoryLayer;
  readonly kind: string;
  readonly project?: string;
  readonly item?: string;
  readonly tag?: readonly string[];
  readonly metadata?: Readonly<Record<string, unknown>>;
  readonly everybody?: boolean;
}

/** How long a place that another transaction has locked is waited for. */
const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

/** Stores a memory of the person, of everybody, or of the submitter of a work item. */
async function addMemory(invocation: Invocation, options: AddOptions, given: string): Promise<number> {
  const { output, context } = invocation;
  const content = given === '-' ? await readInput(context.stdin) : given;
  if (content.trim() === '') throw new AnimusError('usage.invalid', { detail: 'a memory needs a text' });
  const { kind, project, item, tag, metadata, everybody = false } = options;
  const layer = options.layer ?? (project !== undefined ? 'project' : item !== undefined ? 'task' : 'global');
  if (layer === 'task' && item === undefined)
    throw new AnimusError('usage.invalid', { detail: 'layer task needs --item, a work item of the task' });
  if (layer === 'project' && project === undefined && item === undefined)
    throw new AnimusError('usage.invalid', { detail: 'layer project needs --project, or --item of work that has one' });
  const stored = await withDatabase(invocation, async (db) => {
    const workItemId = item === undefined ? null : await findWork(db, item);
    const memory = { content, kind, layer, everybody, project, tags: tag, metadata };
    return untilUnlocked(() => storeMemory(db, memory, workItemId === null ? null : { workItemId }), PATIENCE);
  });
  output.document(stored);
  const said = stored.merged ? 'already stored; new tags were added to it' : 'stored';
  output.line(styled(stored.id, 'bold'), `  ${said}`);
  return 0;
}
