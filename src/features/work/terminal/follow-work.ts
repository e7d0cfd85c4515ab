/** Follows a work item to its end and prints its progress. */

import { interruption } from '../../../core/errors/interruption.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import { isTerminal, type WorkState } from '../../../core/work/work.ts';
import { readAsked } from '../../../operations/asked.ts';
import { readLedger } from '../../../operations/ledger.ts';
import { readWork, type WorkDetail } from '../../../operations/read-work.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { readItemWorktree } from '../../../store/views/item-worktree.ts';
import { viewsOfLogin } from '../../../store/views/views-of-login.ts';
import type { Invocation } from '../../../terminal/command/command.ts';
import { workGoesOn } from '../../../terminal/command/work-goes-on.ts';
import { waitingNews } from '../../../terminal/events/waiting-notes.ts';
import { styled } from '../../../terminal/view/output.ts';
import { cost, duration, stateLabel, WORK_OF_ANOTHER } from '../../../terminal/view/quantities.ts';
import { showAsked } from '../../../terminal/view/show-asked.ts';
import { showOutcome, showRetry } from '../../../terminal/view/show-outcome.ts';
import { resultJson, showResult } from '../../../terminal/view/show-result.ts';

/** Polls by primary key, which costs well under a millisecond and also works where notifications do not arrive. */
const LOOK_EVERY_MS = 300;

/**
 * Waits until the item, or the one it merged into, has ended; prints its ledger as it grows, then its outcome. Returns
 * the exit code: 0 completed, else 1. Ends early on the signals of the process (see withDatabase).
 */
export async function followWork(
  invocation: Invocation,
  db: Queryable,
  submitted: { readonly id: string; readonly merged_into: string | null },
): Promise<number> {
  const { output, context } = invocation;
  const views = await viewsOfLogin(db);
  let id = submitted.merged_into ?? submitted.id;
  let state: WorkState | null = null;
  let seen = 0;
  const saysWhy = waitingNews(output);
  const entriesAfter = (after: number) => readLedger(db, id, views, { after, limit: 1000 });
  const announce = async (item: WorkDetail) => {
    if (item.state !== state) {
      output.line(stateLabel(item.state));
      state = item.state;
      if (state === 'waiting') for (const one of views === 'own' ? [] : await readAsked(db, id)) showAsked(output, one);
    }
    saysWhy(item);
  };
  for (;;) {
    // The ledger is read before the state. Once the item has ended, it is read again: nothing is added after the end.
    const entries = await entriesAfter(seen);
    const item = await readWork(db, id, views);
    const over = isTerminal(item.state);
    if (!over) await announce(item);
    if (over) entries.push(...(await entriesAfter(entries.at(-1)?.seq ?? seen)));
    for (const entry of entries) {
      output.line(styled(entry.type.padEnd(8), 'cyan'), ' ', entry.content);
      seen = entry.seq;
    }
    if (over) await announce(item);
    if (item.state === 'merged' && item.merged_into !== null) {
      [id, seen] = [item.merged_into, 0];
      continue;
    }
    if (over) {
      if (item.state === 'merged') output.note(`${id} merged into ${WORK_OF_ANOTHER}: only a reader sees its result`);
      const worktree = await readItemWorktree(db, id);
      output.document({ submitted: submitted.id, item, worktree: resultJson(worktree) });
      const took = duration((item.resolved_at?.getTime() ?? Date.now()) - item.created_at.getTime());
      output.line(styled(`${took}, ${item.turns} turns, ${costOf(item)}`, 'dim'));
      showOutcome(output, item);
      showRetry(output, item);
      showResult(output, worktree);
      return item.state === 'completed' ? 0 : 1;
    }
    output.progress(progressOf(item));
    await systemClock.sleep(LOOK_EVERY_MS, context.signals.drain);
    if (context.signals.drain.aborted) throw interruption(workGoesOn(invocation, id));
  }
}

/** `$0.0042`, or `cost unknown`. */
function costOf({ cost_usd: spent, unpriced_calls: unpriced }: WorkDetail): string {
  return spent === null ? 'cost unknown' : cost(spent, unpriced);
}

/** What the command waits for. Times use the host's clock, which is exact enough here. */
function progressOf(item: WorkDetail): string {
  const { state, turns, created_at: created } = item;
  const since = duration(Math.max(0, Date.now() - created.getTime()));
  if (item.waiting !== null) return `${state}, ${since} since it was submitted: ${item.waiting.why}`;
  return `${state}, turn ${turns}, ${costOf(item)}, ${since} since it was submitted; Ctrl-C stops waiting, not the work`;
}
