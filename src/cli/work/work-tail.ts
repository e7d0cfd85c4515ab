/** `animus work tail`: prints what has happened on an item, then follows it live. */
import type { Command } from 'commander';
import { interruption } from '../../core/errors/interruption.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { createWake, type Wake } from '../../core/lifecycle/wake.ts';
import type { followWork as FollowWork } from '../../engage/events/follow.ts';
import { openNotifications } from '../../store/postgres/notifications.ts';
import type { Database } from '../../store/sql/database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { readItemWorktree } from '../../store/views/item-worktree.ts';
import { readWork } from '../../store/views/work-views.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { workGoesOn } from '../../terminal/command/work-goes-on.ts';
import type { Output } from '../../terminal/view/output.ts';
import { resultJson, showResult } from './result/show-result.ts';
import { createTailView, type TailView } from './tail-view.ts';
import type { waitingNotes as WaitingNotes } from './waiting-notes.ts';
import { showOutcome, showRetry } from './work-show.ts';

/** Adds `animus work tail`. */
export function addTailCommand(group: Command, run: RunCommand): void {
  addCommand(group, 'tail <id>', {
    summary: 'show what has happened on an item, then follow it live to its end; --json prints one event per line',
    examples: ['animus work tail 5b1f0c3de2a9', 'animus work tail 5b1f0c3de2a9 --json | jq -c select(.type=="ledger")'],
  }).action(run(tailCommand));
}

async function tailCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  // The other commands of `work` do not wait until this is loaded.
  const { followWork } = await import('../../engage/events/follow.ts');
  const { waitingNotes } = await import('./waiting-notes.ts');
  const { untilServed } = await import('./until-served.ts');
  await untilServed(invocation, reference);
  const tail = async (db: Database) => {
    const wake = createWake(systemClock);
    const notifications = openNotifications(db, ['animus_ledger', 'animus_work_done'], {
      onNotify: () => wake.ring(),
      onReconnect: () => wake.ring(),
    });
    await notifications.start();
    try {
      let id: string | null = await findWork(db, reference);
      let code = 0;
      while (id !== null) [id, code] = await follow(invocation, db, id, { followWork, waitingNotes, wake });
      return code;
    } finally {
      await notifications.stop();
    }
  };
  return withDatabase(invocation, tail, workGoesOn(invocation, reference));
}

/** What was loaded for the command, and what wakes it. */
interface Means {
  readonly followWork: typeof FollowWork;
  readonly waitingNotes: typeof WaitingNotes;
  readonly wake: Wake;
}

/** Follows an item to its end. Returns the exit code, or the item it merged into. */
async function follow(
  invocation: Invocation,
  db: Database,
  id: string,
  { followWork, waitingNotes, wake }: Means,
): Promise<readonly [mergedInto: string | null, exitCode: number]> {
  const { output, context } = invocation;
  let view: TailView | null = null;
  const followed = await followWork(db, id, {
    wake,
    signal: context.signals.drain,
    onStart(faculty) {
      view = createTailView(output, id, faculty);
    },
    onEvent: (event) => view?.(event),
    onLook: await waitingNotes(output, db, id),
  });
  switch (followed.kind) {
    case 'merged':
      output.note(`${id} merged into ${followed.into}`);
      return [followed.into, 0];
    case 'ended':
      await showEnd(output, db, id);
      return [null, followed.state === 'completed' ? 0 : 1];
    case 'stopped':
      throw interruption(workGoesOn(invocation, id));
    default:
      return followed satisfies never;
  }
}

/** The outcome, and where the result is; for programs only the latter, as the last event, because the outcome is in the item. */
async function showEnd(output: Output, db: Database, id: string): Promise<void> {
  const worktree = await readItemWorktree(db, id);
  const result = resultJson(worktree);
  if (result?.commands || result?.lost)
    output.event({ at: new Date().toISOString(), work_item_id: id, type: 'worktree', ...result });
  if (output.json) return;
  const item = await readWork(db, id);
  showOutcome(output, item);
  showRetry(output, item);
  showResult(output, worktree);
}
