/** The tool that waits for the end of a work item: for a bounded time, with progress. */
import { z } from 'zod';
import { isTerminal } from '../../core/work/work.ts';
import { readVisibleInbox } from '../../store/views/visible/visible-appliance.ts';
import { readVisibleWork } from '../../store/views/visible/visible-work.ts';
import { followItem } from '../events/follow-item.ts';
import type { Frame } from '../events/frame.ts';
import { asVisitor } from '../login/visitor.ts';
import type { Visit } from '../route/route.ts';
import { id } from '../route/schemas.ts';
import { visitorEyes } from '../route/visitor-eyes.ts';
import { workItem } from '../route/work-schemas.ts';
import { type McpTool, READS } from './tool.ts';

/** Clients give a call up after 60 s unless they are configured otherwise. */
const DEFAULT_SECONDS = 45;
const MAX_SECONDS = 300;

const input = z.strictObject({
  id: id(),
  seconds: z
    .int()
    .min(1)
    .max(MAX_SECONDS)
    .default(DEFAULT_SECONDS)
    .describe(`how long to wait, at most ${MAX_SECONDS}`),
});

export const waitTool: McpTool = {
  name: 'wait_for_work',
  description: `Wait until a work item has ended or asks a person, or until the time is over (default ${DEFAULT_SECONDS} s). Call it again if "ended" is false. "asks" counts what waits for a person: see list_approvals.`,
  route: null,
  scope: 'read',
  hints: READS,
  input,
  async run(visit, given, report) {
    const { id: item, seconds } = input.parse(given);
    let present = await look(visit, item);
    if (present.ended || present.asks > 0) return present;
    const over = new AbortController();
    const until = AbortSignal.any([visit.signal, over.signal]);
    const timer = visit.means.clock.sleep(seconds * 1000, until).then(() => over.abort());
    try {
      const live = await visit.means.live.means();
      for await (const frames of followItem(live, visitorEyes(visit), { kind: 'work', id: item }, null, until)) {
        for (const frame of frames) report(progressOf(frame));
        if (!frames.some(({ type }) => type === 'approval')) continue;
        present = await look(visit, item);
        if (present.ended || present.asks > 0) return present;
      }
    } finally {
      over.abort();
      await timer;
    }
    return look(visit, item);
  },
};

/** How things are, and what waits for a person. Errors: `work.not_found`. */
async function look({ visitor, means }: Visit, item: string) {
  return asVisitor(means.db, visitor, async (tx) => {
    const row = workItem.parse(await readVisibleWork(tx, item));
    const ended = isTerminal(row.state);
    const asks = ended ? 0 : (await readVisibleInbox(tx, item, 100)).length;
    return { ended, asks, item: row };
  });
}

/** No text of an agent: progress is shown to people, and nothing marks it as data. */
function progressOf({ type, json }: Frame): string {
  const { turn, state } = JSON.parse(json) as { readonly turn?: unknown; readonly state?: unknown };
  if (type === 'state' && typeof state === 'string') return state;
  return typeof turn === 'number' ? `${type}, turn ${turn}` : type;
}
