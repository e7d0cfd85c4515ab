/** The tool that waits for the end of a work item: for a bounded time, with progress. */
import { z } from 'zod';
import { isTerminal } from '../../core/work/work.ts';
import { readAsked } from '../../operations/asked.ts';
import { READS } from '../../operations/mcp-offer.ts';
import * as schemas from '../../operations/schemas.ts';
import { workItem } from '../../operations/work-rows.ts';
import type { Frame } from '../events/frame.ts';
import { readingAs } from '../login/visitor.ts';
import { lastOf, within } from '../work/await-work.ts';
import type { McpTool } from './tool.ts';

/** Clients give a call up after 60 s unless they are configured otherwise. */
const DEFAULT_SECONDS = 45;
const MAX_SECONDS = 300;

const input = z.strictObject({
  id: schemas.id(),
  seconds: z
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .default(DEFAULT_SECONDS)
    .describe(`how long to wait, at most ${MAX_SECONDS}`),
});

export const waitTool: McpTool = {
  name: 'wait_for_work',
  description: `Wait until a work item has ended or asks a person, or until the time is over (default ${DEFAULT_SECONDS} s). Call it again if "ended" is false. "asks" counts what waits for a person: see list_approvals. "item.waiting" says why it does not go on, since when, and what ends that.`,
  route: null,
  scope: 'read',
  hints: READS,
  input,
  async run(visit, given, report) {
    const { id: item, seconds } = input.parse(given);
    return within(visit, seconds, async (until) => {
      const row = await lastOf(visit, item, until, (frame) => report(progressOf(frame)));
      const ended = isTerminal(row.state);
      const asks = ended
        ? 0
        : await readingAs(visit.services.db, visit.visitor, async (tx) => (await readAsked(tx, item, 100)).length);
      return { ended, asks, item: workItem(schemas).parse(row) };
    });
  },
};

/** No text of an agent: progress is shown to people, and nothing marks it as data. */
function progressOf({ type, json }: Frame): string {
  const { turn, state } = JSON.parse(json) as { readonly turn?: unknown; readonly state?: unknown };
  if (type === 'state' && typeof state === 'string') return state;
  return typeof turn === 'number' ? `${type}, turn ${turn}` : type;
}
