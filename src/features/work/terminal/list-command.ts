/** `animus work list`. */
import { FULL_ID } from '../../../core/work/id-reference.ts';
import { WORK_STATES } from '../../../core/work/work.ts';
import type { WorkSummary } from '../../../operations/work-rows.ts';
import type { Queryable } from '../../../store/sql/database.ts';
import { findWork } from '../../../store/views/find-work.ts';
import { wholeNumber, workState } from '../../../terminal/command/arguments.ts';
import { operationCommand } from '../../../terminal/command/operation-command.ts';
import { shellWord } from '../../../terminal/view/copied-command.ts';
import { styled } from '../../../terminal/view/output.ts';
import { age, costOfWork, shortDescription, shortId, stateLabel } from '../../../terminal/view/quantities.ts';
import { type Columns, cut, right, showTable, spare } from '../../../terminal/view/table.ts';
import { listWork } from '../operations.ts';

const DEFAULT_LIMIT = 20;

export const list = operationCommand(listWork, {
  usage: 'list',
  summary: 'list work items, newest first',
  examples: [
    'animus work list --state running',
    'animus work list --faculty engineer --limit 50 --json',
    'animus work list --state dead --after 5b1f0c3de2a9',
  ],
  options: {
    state: ['--state <state>', `only this state (${WORK_STATES.join(', ')})`, workState],
    faculty: ['--faculty <name>', 'only this faculty', String],
    parent: ['--parent <id>', 'only children of this item'],
    limit: ['--limit <n>', `at most this many items (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 10_000)],
    after: ['--after <id>', 'the next page: only items that are listed after this one'],
  },
  defaults: { limit: DEFAULT_LIMIT },
  ids: { parent: findWork, after: cursorOf },
  show(output, { result: { items, next }, typed }) {
    if (items.length === 0) output.note('no work items');
    else showTable(output, items, COLUMNS);
    if (next !== null) output.note(`there are more; the next page: ${nextPage(typed, next)}`);
  },
});

/** The item of a page's end may have been deleted since, so a whole id is taken as it is. */
async function cursorOf(db: Queryable, reference: string): Promise<string> {
  return FULL_ID.test(reference) ? reference : findWork(db, reference);
}

function nextPage(typed: Readonly<Record<string, unknown>>, after: string): string {
  const { state, faculty, parent, limit } = typed;
  const given = { state, faculty, parent, limit: limit === DEFAULT_LIMIT ? undefined : limit, after };
  const words = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value as string | number)],
  );
  return ['animus work list', ...words].join(' ');
}

const COLUMNS: Columns<WorkSummary> = [
  ['ID', ({ id }) => shortId(id)],
  ['STATE', ({ state }) => stateLabel(state)],
  [spare(cut('FACULTY')), ({ faculty }) => faculty],
  [spare(right('AGE')), ({ created_at: at }) => age(at, Date.now()).replace(' ago', '')],
  [spare(right('TURNS')), ({ turns }) => (turns === 0 ? styled('-', 'dim') : String(turns))],
  [spare(right('COST')), costOfWork],
  [spare(cut('WAITS')), ({ waiting }) => waiting?.why ?? styled('-', 'dim')],
  [cut('DESCRIPTION'), ({ description: text }) => shortDescription(text, 200) || styled('(no description)', 'dim')],
];
