/** `animus work cancel|retry`: operator commands for one item, or for all that match. */
import type { Command } from 'commander';
import { AnimusError } from '../../../core/errors/errors.ts';
import { systemClock } from '../../../core/lifecycle/clock.ts';
import type { WorkState } from '../../../core/work/work.ts';
import { untilUnlocked } from '../../../store/sql/patient-database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { readWork } from '../../../store/views/work-views.ts';
import { cancelWork, cancelWorks, retryWork } from '../../../store/work/operate.ts';
import { pastMoment, workState } from '../../../terminal/command/arguments.ts';
import { addCommand, type Invocation, type RunCommand } from '../../../terminal/command/command.ts';
import { withDatabase } from '../../../terminal/command/database.ts';
import { styled } from '../../../terminal/view/output.ts';
import { stateLabel } from '../../../terminal/view/quantities.ts';
import { type BulkOperation, isBulk, type MatchOptions, operateOnMatching } from './bulk-command.ts';

interface CancelOptions extends MatchOptions {
  readonly reason?: string;
}

/** Adds `animus work cancel|retry`. */
export function addOperateCommands(group: Command, run: RunCommand): void {
  const cancel = addCommand(group, 'cancel [id]', {
    summary: 'cancel an item, or all that match, and their children; a daemon stops running work within a second',
    examples: [
      'animus work cancel 5b1f0c3de2a9 --reason "superseded"',
      'animus work cancel --state queued --faculty engineer --dry-run',
    ],
  }).option('--reason <text>', 'reason, kept with the item');
  addMatchOptions(cancel, OPEN_STATES).action(run(cancelCommand));
  const retry = addCommand(group, 'retry [id]', {
    summary:
      'queue a dead or cancelled item, or all that match, again with all their attempts; they keep their ledgers',
    examples: ['animus work retry 5b1f0c3de2a9', 'animus work retry --state dead --faculty engineer --since 2h'],
  });
  addMatchOptions(retry, RETRIED_STATES).action(run(retryCommand));
}

const OPEN_STATES: readonly WorkState[] = ['scheduled', 'queued', 'claimed', 'running', 'waiting'];
const RETRIED_STATES: readonly WorkState[] = ['dead', 'cancelled'];

function addMatchOptions(command: Command, states: readonly WorkState[]): Command {
  return command
    .option('--state <state>', `instead of an id: all in this state (${states.join(', ')})`, workState)
    .option('--faculty <name>', 'instead of an id: all of this faculty')
    .option(
      '--since <time>',
      'only what ended since then or, if it is open, was submitted: 2h, 1d (ago), or a time',
      pastMoment,
    )
    .option('--dry-run', 'only count what would be changed');
}

/** How long an operator's call is tried again while another transaction keeps the work locked. */
const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

async function cancelCommand(invocation: Invocation, options: CancelOptions, reference?: string): Promise<number> {
  if (isBulk(reference, options)) return operateOnMatching(invocation, options, cancelling(options));
  const { output } = invocation;
  const { id, state } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference ?? '');
    return { id: found, state: await untilUnlocked(() => cancelWork(db, found, options.reason), PATIENCE) };
  });
  if (state === 'completed' || state === 'dead' || state === 'merged') {
    throw new AnimusError('work.state', {
      id,
      detail: `work item ${id} is already ${state} and cannot be cancelled`,
    });
  }
  output.document({ id, state, cancelled: state === 'cancelled' });
  const how = state === 'cancelled' ? '' : '  its daemon stops it now';
  output.line(styled(id, 'bold'), '  ', stateLabel(state), how);
  return 0;
}

function cancelling({ reason }: CancelOptions): BulkOperation {
  return {
    done: 'cancelled',
    states: OPEN_STATES,
    async run(db, id) {
      await untilUnlocked(() => cancelWork(db, id, reason), PATIENCE);
    },
    runAll: (db, ids) => cancelWorks(db, ids, reason),
  };
}

const RETRYING: BulkOperation = {
  done: 'retried',
  states: RETRIED_STATES,
  async run(db, id) {
    const active = await untilUnlocked(() => retryWork(db, id), PATIENCE);
    if (active === id) return;
    throw new AnimusError('work.state', { id, detail: `the same work is already active as ${active}` });
  },
};

async function retryCommand(invocation: Invocation, options: MatchOptions, reference?: string): Promise<number> {
  if (isBulk(reference, options)) return operateOnMatching(invocation, options, RETRYING);
  const { output } = invocation;
  const { id, item } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference ?? '');
    return { id: found, item: await readWork(db, await untilUnlocked(() => retryWork(db, found), PATIENCE)) };
  });
  const retried = item.id === id;
  output.document({ id, retried, active_id: item.id, state: item.state });
  if (retried) output.line(styled(id, 'bold'), '  ', stateLabel(item.state));
  else
    output.line(styled(id, 'bold'), '  is not retried: the same work is already active as ', styled(item.id, 'bold'));
  return 0;
}
