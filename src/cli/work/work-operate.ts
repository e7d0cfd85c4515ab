/** `animus work cancel|retry`: operator commands for one item. */
import type { Command } from 'commander';
import { AnimusError } from '../../core/errors/errors.ts';
import { systemClock } from '../../core/lifecycle/clock.ts';
import { untilUnlocked } from '../../store/sql/patient-database.ts';
import { findWork, readWork } from '../../store/views/work-views.ts';
import { cancelWork, retryWork } from '../../store/work/operate.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { styled } from '../view/output.ts';
import { stateLabel } from '../view/quantities.ts';

interface CancelOptions extends CommonOptions {
  readonly reason?: string;
}

/** Adds `animus work cancel|retry`. */
export function addOperateCommands(group: Command, run: RunCommand): void {
  addCommand(group, 'cancel <id>', {
    summary: 'cancel an item and its children; a daemon stops running work at its next heartbeat',
    examples: ['animus work cancel 5b1f0c3de2a9 --reason "superseded"'],
  })
    .option('--reason <text>', 'reason, kept with the item')
    .action(run(cancelCommand));
  addCommand(group, 'retry <id>', {
    summary: 'queue a dead or cancelled item again with all its attempts; it keeps its ledger',
    examples: ['animus work retry 5b1f0c3de2a9'],
  }).action(run(retryCommand));
}

/** How long an operator's call is tried again while another transaction keeps the work locked. */
const PATIENCE = { clock: systemClock, forMs: 5000 } as const;

async function cancelCommand(invocation: Invocation, options: CancelOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { id, state } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    return { id: found, state: await untilUnlocked(() => cancelWork(db, found, options.reason), PATIENCE) };
  });
  if (state === 'completed' || state === 'dead' || state === 'merged') {
    throw new AnimusError('work.state', {
      id,
      detail: `work item ${id} is already ${state} and cannot be cancelled`,
    });
  }
  output.document({ id, state, cancelled: state === 'cancelled' });
  const how = state === 'cancelled' ? '' : '  its daemon will stop it at its next heartbeat';
  output.line(styled(id, 'bold'), '  ', stateLabel(state), how);
  return 0;
}

async function retryCommand(invocation: Invocation, _options: CommonOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { id, item } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    return { id: found, item: await readWork(db, await untilUnlocked(() => retryWork(db, found), PATIENCE)) };
  });
  const retried = item.id === id;
  output.document({ id, retried, active_id: item.id, state: item.state });
  if (retried) output.line(styled(id, 'bold'), '  ', stateLabel(item.state));
  else
    output.line(styled(id, 'bold'), '  is not retried: the same work is already active as ', styled(item.id, 'bold'));
  return 0;
}
