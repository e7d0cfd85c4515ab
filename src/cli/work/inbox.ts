/** `animus inbox`: what waits for a person, of all work. */
import type { Command } from 'commander';
import { findWork } from '../../store/views/find-work.ts';
import { readAsked, readInbox } from '../../store/views/inbox-view.ts';
import { wholeNumber } from '../command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { showAsked } from './show-asked.ts';

interface InboxOptions extends CommonOptions {
  readonly limit: number;
  readonly full?: boolean;
}

/** Adds `animus inbox`. */
export function addInboxCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'inbox [id]', {
    summary: 'list what waits for a person: calls to approve, questions to answer; and the commands that decide them',
    examples: ['animus inbox', 'animus inbox 5b1f0c3de2a9 --full', 'animus inbox --json'],
  })
    .option('--limit <n>', 'at most this many', wholeNumber(1, 1000), 20)
    .option('--full', 'whole inputs, however long')
    .action(run(inboxCommand));
}

async function inboxCommand(
  invocation: Invocation,
  { limit, full }: InboxOptions,
  reference: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const waiting = await withDatabase(invocation, async (db) =>
    reference === undefined ? readInbox(db, limit) : readAsked(db, await findWork(db, reference)),
  );
  output.document({ waiting });
  if (waiting.length === 0) output.note('nothing waits for a person');
  for (const [index, asked] of waiting.entries()) {
    if (index > 0) output.line();
    showAsked(output, asked, full);
  }
  if (reference === undefined && waiting.length === limit) output.note('there may be more: animus inbox --limit 1000');
  return 0;
}
