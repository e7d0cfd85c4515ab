/** `animus ledger …`: the entries of a work item. */

import type { Command } from 'commander';
import { AnimusError } from '../../core/errors/errors.ts';
import { LEDGER_TYPES, type LedgerType } from '../../core/work/work.ts';
import { appendLedger, type LedgerEntry, readWholeLedger } from '../../store/transcript/ledger.ts';
import { findWork } from '../../store/views/find-work.ts';
import { seesTables } from '../../store/views/work-views.ts';
import { ledgerType, wholeNumber } from '../../terminal/command/arguments.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { ledgerJson } from '../../terminal/view/show-ledger.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Style } from '../../terminal/view/part.ts';
import { age } from '../../terminal/view/quantities.ts';

interface ShowOptions extends CommonOptions {
  readonly type?: LedgerType;
  readonly last?: number;
  readonly formatted?: boolean;
}

/** Adds `animus ledger show|append`. */
export function addLedgerCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'ledger', 'the append-only record of a work item');
  addCommand(group, 'show <id>', {
    summary: 'show the entries of an item, oldest first',
    examples: ['animus ledger show 5b1f0c3de2a9', 'animus ledger show 5b1f0c3de2a9 --type finding --last 5'],
  })
    .option('--type <type>', `only this type (${LEDGER_TYPES.join(', ')})`, ledgerType)
    .option('--last <n>', 'only the newest n', wholeNumber(1, 1_000_000))
    .option('--formatted', 'as Markdown, grouped by type, with only the latest plan')
    .action(run(showCommand));
  addCommand(group, 'append <id> <type> <content>', {
    summary: 'append an entry as an operator; content - reads standard input',
    examples: ['animus ledger append 5b1f0c3de2a9 note "Asked the author, she agrees"'],
  }).action(run(appendCommand));
}

async function showCommand(invocation: Invocation, options: ShowOptions, reference: string): Promise<number> {
  const { output } = invocation;
  const { type, last } = options;
  const { id, entries } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    const read = (await seesTables(db))
      ? readWholeLedger
      : (await import('../../store/views/own-work.ts')).readOwnLedger;
    return { id: found, entries: await read(db, found, { ...(type && { type }), ...(last && { last }) }) };
  });
  output.document({ work_item_id: id, entries: entries.map(ledgerJson) });
  if (entries.length === 0) output.note('no entries');
  else if (options.formatted) showFormatted(output, entries);
  else showLedger(output, entries);
  return 0;
}

async function appendCommand(
  invocation: Invocation,
  _options: CommonOptions,
  reference: string,
  type: string,
  content: string,
): Promise<number> {
  const { output, context } = invocation;
  const known = LEDGER_TYPES.find((candidate) => candidate === type);
  if (known === undefined) {
    throw new AnimusError('usage.invalid', {
      detail: `${JSON.stringify(type)} is not an entry type; expected one of ${LEDGER_TYPES.join(', ')}`,
    });
  }
  const text = content === '-' ? await readInput(context.stdin) : content;
  const { id, seq } = await withDatabase(invocation, async (db) => {
    const found = await findWork(db, reference);
    return { id: found, seq: await appendLedger(db, found, known, text) };
  });
  output.document({ work_item_id: id, seq });
  output.line(`${known} #${seq} appended to ${id}`);
  return 0;
}

/** The latest plan, then findings, decisions, steps, errors and notes: what is needed to continue the work. */
function showFormatted(output: Output, entries: readonly LedgerEntry[]): void {
  for (const type of LEDGER_TYPES) {
    const ofType = entries.filter((entry) => entry.type === type);
    const shown = type === 'plan' ? ofType.slice(-1) : ofType;
    if (shown.length === 0) continue;
    output.line(styled(`## ${TITLES[type]}`, 'bold'));
    for (const entry of shown)
      output.block(type === 'plan' ? entry.content : `- ${entry.content.replaceAll('\n', '\n  ')}`);
    output.line();
  }
}

const TITLES: Readonly<Record<LedgerType, string>> = {
  plan: 'Plan',
  finding: 'Findings',
  decision: 'Decisions',
  step: 'Steps',
  error: 'Errors',
  note: 'Notes',
};
