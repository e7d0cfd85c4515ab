/** `animus work cancel|retry`, for one item or for all that match. */
import type { Command } from 'commander';
import { AnimusError } from '../../../core/errors/errors.ts';
import type { WorkState } from '../../../core/work/work.ts';
import { readWork } from '../../../operations/read-work.ts';
import { pastMoment, workState } from '../../../terminal/command/arguments.ts';
import { addCommand, type Invocation } from '../../../terminal/command/command.ts';
import { type AddOperation, type Performance, performOperation } from '../../../terminal/command/operation-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import { stateLabel } from '../../../terminal/view/quantities.ts';
import { CHANGED_STATES, cancelMatchingWork, retryMatchingWork } from '../bulk.ts';
import { cancelWork, retryWork } from '../operations.ts';
import { changeMatching, isBulk, type MatchOptions } from './bulk-command.ts';
import { foundWork } from './say-command.ts';

interface CancelOptions extends MatchOptions {
  readonly reason?: string;
}

export const cancel: AddOperation = (group, run) => {
  const command = addCommand(group, 'cancel [id]', {
    summary: 'cancel an item, or all that match, and their children; a daemon stops running work within a second',
    examples: [
      'animus work cancel 5b1f0c3de2a9 --reason "superseded"',
      'animus work cancel --state queued --faculty engineer --dry-run',
    ],
  }).option('--reason <text>', 'reason, kept with the item');
  addMatchOptions(command, CHANGED_STATES.cancel).action(
    run((invocation: Invocation, options: CancelOptions, id?: string) =>
      isBulk(id, options)
        ? changeMatching(invocation, options, {
            operation: cancelMatchingWork,
            states: CHANGED_STATES.cancel,
            done: 'cancelled',
          })
        : performOperation(cancelWork, CANCELLING, invocation, { id, reason: options.reason }),
    ),
  );
};

export const retry: AddOperation = (group, run) => {
  const command = addCommand(group, 'retry [id]', {
    summary:
      'queue a dead or cancelled item, or all that match, again with all their attempts; they keep their ledgers',
    examples: ['animus work retry 5b1f0c3de2a9', 'animus work retry --state dead --faculty engineer --since 2h'],
  });
  addMatchOptions(command, CHANGED_STATES.retry).action(
    run((invocation: Invocation, options: MatchOptions, id?: string) =>
      isBulk(id, options)
        ? changeMatching(invocation, options, {
            operation: retryMatchingWork,
            states: CHANGED_STATES.retry,
            done: 'retried',
          })
        : performOperation(retryWork, RETRYING, invocation, { id }),
    ),
  );
};

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

type Found = { readonly id: string };
type InputOf<Act> = Act extends { readonly run: (acting: never, input: infer Input) => unknown } ? Input : never;

const CANCELLING: Performance<InputOf<typeof cancelWork>, { id: string; state: WorkState }, Found, undefined> = {
  find: foundWork,
  async after(_, { result: { id, state } }) {
    if (state !== 'completed' && state !== 'dead' && state !== 'merged') return undefined;
    throw new AnimusError('work.state', { id, detail: `work item ${id} is already ${state} and cannot be cancelled` });
  },
  document: ({ result: { id, state } }) => ({ id, state, cancelled: state === 'cancelled' }),
  show: (output, { result: { id, state } }) =>
    output.line(
      styled(id, 'bold'),
      '  ',
      stateLabel(state),
      state === 'cancelled' ? '' : '  its daemon is stopping it',
    ),
};

const RETRYING: Performance<InputOf<typeof retryWork>, Found, Found, WorkState> = {
  find: foundWork,
  after: async (db, { result: { id } }) => (await readWork(db, id)).state,
  document: ({ row, result, after: state }) => ({
    id: row.id,
    retried: result.id === row.id,
    active_id: result.id,
    state,
  }),
  show(output, { row, result, after: state }) {
    const id = styled(row.id, 'bold');
    if (result.id === row.id) output.line(id, '  ', stateLabel(state));
    else output.line(id, '  is not retried: the same work is already active as ', styled(result.id, 'bold'));
  },
};
