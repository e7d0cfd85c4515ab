/** The tool that looks at child work without waiting. */
import { z } from 'zod';
import { readChildren } from '../../store/transcript/children.ts';
import { databaseTool, type Tool, toolError } from '../tool.ts';
import { childrenText, countsText } from './child-text.ts';

/** Some of the children, by the ids that `spawn_child_work` returned. */
export const childIds = z.array(z.uuid()).min(1).max(1000).optional();

/** Offered together with `spawn_child_work`. */
export const checkChildTool: Tool = databaseTool({
  name: 'check_child_work',
  description:
    'Shows your child work without waiting: the result of what has ended, and of the rest its state and its latest ledger entries. To wait, use ' +
    'await_child_work; do not check again and again.',
  risk: 'read',
  input: z.strictObject({
    ids: childIds.describe('as spawn_child_work returned them; default: all of your children'),
  }),
  async run({ ids = null }, context, tx) {
    const children = await readChildren(tx, context.workItemId, ids, 'conversation');
    const wrong = ids?.find((id) => !children.some((child) => child.id === id));
    if (wrong !== undefined)
      return toolError(`${wrong} is not a child of this work: use the ids that spawn_child_work returned`);
    if (children.length === 0) return { content: 'You have spawned no child work.' };
    return {
      content: `${countsText(children)}\n\n${childrenText(children)}`,
      details: { reported: children.filter(({ ended }) => ended).map(({ id }) => id) },
    };
  },
});
