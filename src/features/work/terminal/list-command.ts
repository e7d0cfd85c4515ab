/** `animus work list|count`. */
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
import { countWork, listWork, WORK_SORTS } from '../list.ts';

const DEFAULT_LIMIT = 20;

/** What selects items, for both commands. */
const FILTER = {
  state: [
    '--state <states>',
    `only these states, with commas between them (${WORK_STATES.join(', ')})`,
    (value: string) => value.split(',').map((word) => workState(word.trim())),
  ],
  faculty: ['--faculty <name>', 'only this faculty; may be repeated'],
  submitted_by: [
    '--submitted-by <name>',
    'only what this login or person (person:olga) has submitted; may be repeated',
  ],
  since: ['--since <time>', 'submitted since then: 2h, 1d (ago) or 2026-03-01'],
  until: ['--until <time>', 'submitted before'],
  ended_since: ['--ended-since <time>', 'ended since then'],
  ended_until: ['--ended-until <time>', 'ended before'],
  min_cost_usd: ['--min-cost <usd>', 'only what has cost at least this'],
  error: ['--error <code>', 'only what failed with this code'],
  root: ['--root <id>', 'only this item and all that is below it'],
  parent: ['--parent <id>', 'only children of this item'],
  q: ['--search <words>', 'only items whose description, outcome, error or ledger has these words'],
} as const;

export const list = operationCommand(listWork, {
  usage: 'list',
  summary: 'list work items, newest first',
  examples: [
    'animus work list --state running,waiting',
    'animus work list --faculty engineer --limit 50 --json',
    'animus work list --search "timezone test" --since 7d --sort cost',
    'animus work list --state dead --after 5b1f0c3de2a9',
  ],
  options: {
    ...FILTER,
    sort: ['--sort <order>', `${WORK_SORTS.join(', ')} (default: newest)`],
    limit: ['--limit <n>', `at most this many items (default: ${DEFAULT_LIMIT})`, wholeNumber(1, 10_000)],
    after: ['--after <id>', 'the next page: only items that are listed after this one'],
  },
  defaults: { limit: DEFAULT_LIMIT },
  ids: { parent: findWork, root: findWork, after: cursorOf },
  show(output, { result: { items, next, partial }, typed }) {
    if (items.length > 0) showTable(output, items, COLUMNS);
    else if (next === null) output.note('no work items');
    if (partial) output.note('only the newest items that match were ranked; narrow the selection to rank all');
    if (next !== null)
      output.note(`there ${items.length === 0 ? 'may be' : 'are'} more; the next page: ${nextPage(typed, next)}`);
  },
});

export const count = operationCommand(countWork, {
  usage: 'count',
  summary: 'count work items by their state',
  examples: [
    'animus work count --faculty engineer --since 1d',
    'animus work count --state dead --error llm.overloaded',
  ],
  options: FILTER,
  ids: { parent: findWork, root: findWork },
  show(output, { result: { states, items, more } }) {
    showTable(output, states, [
      ['STATE', ({ state }) => stateLabel(state)],
      [right('ITEMS'), (row) => (row.more ? `${row.items} or more` : String(row.items))],
    ]);
    output.line(`${items}${more ? ' or more' : ''} in all`);
  },
});

/** The item of a page's end may have been deleted since, so a whole id is taken as it is; so is a place in another order than that of ids. */
async function cursorOf(db: Queryable, reference: string): Promise<string> {
  return FULL_ID.test(reference) || /^Wy[\w-]{40,}$/.test(reference) ? reference : findWork(db, reference);
}

const FLAGS: Readonly<Record<string, string>> = {
  ...Object.fromEntries(Object.entries(FILTER).map(([name, [flag]]) => [name, flag.split(' ')[0]!])),
  sort: '--sort',
  limit: '--limit',
};

function nextPage(typed: Readonly<Record<string, unknown>>, after: string): string {
  const words = Object.entries(FLAGS).flatMap(([name, flag]) => {
    const value = typed[name];
    if (value === undefined || (name === 'limit' && value === DEFAULT_LIMIT) || (name === 'sort' && value === 'newest'))
      return [];
    const given =
      name === 'state' ? [(value as string[]).join(',')] : Array.isArray(value) ? (value as unknown[]) : [value];
    return given.flatMap((one) => [
      flag,
      shellWord(one instanceof Date ? one.toISOString() : (one as string | number)),
    ]);
  });
  return ['animus work list', ...words, '--after', shellWord(after)].join(' ');
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
