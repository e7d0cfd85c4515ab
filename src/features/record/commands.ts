/** `animus ledger show|append`: the entries of a work item. */
import { LEDGER_TYPES, type LedgerType } from '../../core/work/work.ts';
import type { LedgerEntry } from '../../operations/ledger.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { wholeNumber } from '../../terminal/command/arguments.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { showLedger } from '../../terminal/view/show-ledger.ts';
import { appendEntry, readLedger } from './operations.ts';

/** More than an item has. */
const ALL = 1_000_000;

const find = async (db: Queryable, reference: string) => ({ id: await findWork(db, reference) });

const show = operationCommand(readLedger, {
  find,
  usage: 'show <id>',
  summary: 'show the entries of an item, oldest first',
  examples: ['animus ledger show 5b1f0c3de2a9', 'animus ledger show 5b1f0c3de2a9 --type finding --last 5'],
  options: {
    type: ['--type <type>', `only this type (${LEDGER_TYPES.join(', ')})`],
    last: ['--last <n>', 'only the newest n', wholeNumber(1, ALL)],
  },
  more: { formatted: ['--formatted', 'as Markdown, grouped by type, with only the latest plan'] },
  defaults: { limit: ALL },
  document: ({ row: { id }, result: { items } }) => ({ work_item_id: id, entries: items }),
  show(output, { result: { items }, typed }) {
    if (items.length === 0) output.note('no entries');
    else if (typed['formatted'] === true) showFormatted(output, items);
    else showLedger(output, items);
  },
});

const append = operationCommand(appendEntry, {
  find,
  usage: 'append <id> <type> <content>',
  summary: 'append an entry as an operator; content - reads standard input',
  examples: ['animus ledger append 5b1f0c3de2a9 note "Asked the author, she agrees"'],
  read: async (given, { context }) =>
    given.content === '-' ? { ...given, content: await readInput(context.stdin) } : given,
  document: ({ row: { id }, result: { seq } }) => ({ work_item_id: id, seq }),
  show: (output, { row: { id }, input: { type }, result: { seq } }) => output.line(`${type} #${seq} appended to ${id}`),
});

export const ledgerCommands = [show, append];

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
