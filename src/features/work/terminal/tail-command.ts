/** `animus work tail`: prints what has happened on an item, then follows it live. */
import { interruption } from '../../../core/errors/interruption.ts';
import { readWork } from '../../../operations/read-work.ts';
import type { Database } from '../../../store/sql/database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { readItemWorktree } from '../../../store/views/item-worktree.ts';
import { readAskedModels, readOpenTurn } from '../../../store/views/open-turn.ts';
import { viewsOfLogin } from '../../../store/views/views-of-login.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import type { AddOperation } from '../../../terminal/command/operation-command.ts';
import { workGoesOn } from '../../../terminal/command/work-goes-on.ts';
import type { Output } from '../../../terminal/view/output.ts';
import { showOutcome, showRetry } from '../../../terminal/view/show-outcome.ts';
import { resultJson, showResult } from '../../../terminal/view/show-result.ts';

/** Adds `animus work tail`. */
export const tail: AddOperation = (group, run) => {
  addCommand(group, 'tail <id>', {
    summary: 'show what has happened on an item, then follow it live to its end; --json prints one event per line',
    examples: ['animus work tail 5b1f0c3de2a9', 'animus work tail 5b1f0c3de2a9 --json | jq -c select(.type=="ledger")'],
  }).action(run(tailCommand));
};

async function tailCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  const { untilServed } = await import('./until-served.ts');
  await untilServed(invocation, reference);
  const follow = async (db: Database) => {
    let id: string | null = await findWork(db, reference);
    let code = 0;
    while (id !== null) [id, code] = await followOne(invocation, db, id);
    return code;
  };
  return withDatabase(invocation, follow, workGoesOn(invocation, reference));
}

/** Follows an item to its end. Returns the exit code, or the item it merged into. */
async function followOne(
  invocation: Invocation,
  db: Database,
  id: string,
): Promise<readonly [mergedInto: string | null, exitCode: number]> {
  const { output, context } = invocation;
  // The other commands of `work` do not wait until this is loaded.
  const { followItem } = await import('../../../terminal/events/followed-item.ts');
  const { createTailView } = await import('./tail-view.ts');
  const { waitingNotes } = await import('../../../terminal/events/waiting-notes.ts');
  const sayWhatWaits = await waitingNotes(output, db, id);
  const models = output.json ? undefined : await readAskedModels(db, id);
  const view = createTailView(output, { kind: 'work', id }, models);
  const merged: { into: string | null } = { into: null };
  const state = await followItem(db, id, {
    signal: context.signals.drain,
    take(entry) {
      if ('placed' in entry && entry.placed.event.type === 'done') merged.into = entry.placed.event.mergedInto;
      view.take(entry);
    },
    async present(now) {
      view.present(now === 'running' && !output.json ? await readOpenTurn(db, id) : null);
      await sayWhatWaits();
    },
  });
  if (state === null) throw interruption(workGoesOn(invocation, id));
  if (state === 'merged' && merged.into !== null) {
    output.note(`${id} merged into ${merged.into}`);
    return [merged.into, 0];
  }
  await showEnd(output, db, id);
  return [null, state === 'completed' ? 0 : 1];
}

/** The outcome, and where the result is; for programs only the latter, as the last event, because the outcome is in the item. */
async function showEnd(output: Output, db: Database, id: string): Promise<void> {
  const worktree = await readItemWorktree(db, id);
  const result = resultJson(worktree);
  if (result?.commands || result?.lost)
    output.event({ at: new Date().toISOString(), work_item_id: id, type: 'worktree', ...result });
  if (output.json) return;
  const item = await readWork(db, id, await viewsOfLogin(db));
  showOutcome(output, item);
  showRetry(output, item);
  showResult(output, worktree);
}
