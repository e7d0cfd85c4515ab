/** The tool that waits for child work: the focus is parked until it has ended, and holds no slot meanwhile. */
import { z } from 'zod';
import { isoSeconds } from '../../core/text/iso-seconds.ts';
import { type AwaitedChild, type ChildReport, lockChildren, readChildren } from '../../store/transcript/children.ts';
import { waitTimes } from '../../store/transcript/waits.ts';
import { record } from '../../telemetry/metrics.ts';
import { databaseTool, type ResolvedWait, type Tool, type ToolOutput } from '../tool.ts';
import { childIds } from './check-child-work.ts';
import { childrenText, countsText } from './child-text.ts';

/** A year. */
const MAX_SECONDS = 31_536_000;

const NOTHING_TO_AWAIT =
  'You have no child work that is under way, and you have seen the results of all that has ended.';

/** Offered together with `spawn_child_work`. */
export const awaitChildTool: Tool = databaseTool({
  name: 'await_child_work',
  description:
    'Waits for child work and returns what each child gave: state, summary, outcome, error, latest findings. You use no resources meanwhile. A child that ' +
    'died or was cancelled counts as ended: look at its error and decide. Without ids, it waits for all children whose result you have not seen.',
  risk: 'read',
  input: z.strictObject({
    ids: childIds.describe('as spawn_child_work returned them; default: all whose result you have not seen'),
    mode: z.enum(['all', 'any']).default('all').describe('any: until one has ended; call it again for the others'),
    timeout_seconds: z.number().positive().max(MAX_SECONDS).optional().describe('default: as long as it takes'),
  }),
  async run({ ids = null, mode, timeout_seconds: seconds }, context, tx) {
    const children = await lockChildren(tx, context, ids);
    if (children.length === 0) return { content: NOTHING_TO_AWAIT };
    if (isOver(children, mode)) {
      const awaited = children.map(({ childId }) => childId);
      return report('', await readChildren(tx, context.workItemId, awaited, 'conversation'));
    }
    const open = children.filter(({ ended }) => !ended).length;
    return {
      content: `waiting for ${mode === 'all' ? '' : 'one of '}${open} child work item${open === 1 ? '' : 's'}`,
      wait: {
        kind: 'children',
        targets: [...new Set(children.map(({ targetId }) => targetId))],
        mode,
        deadline: seconds === undefined ? null : (await waitTimes(tx, null, seconds)).deadline,
      },
    };
  },
  async afterWait({ ids = null }, wait, context, tx) {
    const result = wait.result.timed_out ? 'timed_out' : 'ended';
    const seconds = (wait.resolvedAt.getTime() - wait.createdAt.getTime()) / 1000;
    record('work.child.await_duration', seconds, { faculty: context.faculty, result });
    const children = await readChildren(tx, context.workItemId, ids, 'conversation');
    const awaited = children.filter(({ targetId }) => wait.targets.includes(targetId));
    return report(headOf(wait), awaited);
  },
});

function isOver(children: readonly AwaitedChild[], mode: 'all' | 'any'): boolean {
  return mode === 'all' ? children.every(({ ended }) => ended) : children.some(({ ended }) => ended);
}

function headOf({ result, resolvedAt }: ResolvedWait): string {
  if (!result.timed_out) return '';
  return `The wait timed out at ${isoSeconds(resolvedAt)}. What is open goes on: await it again, or go on without it.\n`;
}

/** The result for the model. `reported` says whose end it has seen, so that the next wait leaves these out. */
function report(head: string, children: readonly ChildReport[]): ToolOutput {
  return {
    content: `${head}${countsText(children)}\n\n${childrenText(children)}`,
    details: {
      reported: children.filter(({ ended }) => ended).map(({ id }) => id),
      open: children.filter(({ ended }) => !ended).map(({ id }) => id),
    },
  };
}
