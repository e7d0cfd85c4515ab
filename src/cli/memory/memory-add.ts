/** `animus memory add`. */

import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { type MemoryLayer, storeMemory } from '../../store/memory/memories.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { findWork } from '../../store/views/find-work.ts';
import type { CommonOptions, Invocation } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { styled } from '../../terminal/view/output.ts';

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
export async function addMemory(invocation: Invocation, options: AddOptions, given: string): Promise<number> {
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
    const memory = {
      content,
      kind,
      layer,
      everybody,
      ...(project !== undefined && { project }),
      ...(tag && { tags: tag }),
      ...(metadata && { metadata }),
    };
    return untilUnlocked(() => storeMemory(db, memory, workItemId === null ? null : { workItemId }), PATIENCE);
  });
  output.document(stored);
  const said = stored.merged ? 'already stored; new tags were added to it' : 'stored';
  output.line(styled(stored.id, 'bold'), `  ${said}`);
  return 0;
}
