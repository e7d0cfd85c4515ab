/** `animus work …`. */
import type { Command } from 'commander';
import { FULL_ID } from '../../core/work/id-reference.ts';
import { WORK_STATES, type WorkState } from '../../core/work/work.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { listWork } from '../../store/views/work-list.ts';
import { seesTables, type WorkSummary } from '../../store/views/work-views.ts';
import { wholeNumber, workState } from '../../terminal/command/arguments.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, costOfWork, shortDescription, shortId, stateLabel } from '../../terminal/view/quantities.ts';
import { shellWord } from '../../terminal/view/shell-word.ts';
import type { Column } from '../../terminal/view/table.ts';
import { addResultCommands } from './result/result-commands.ts';
import { addOperateCommands } from './work-operate.ts';
import { addSayCommand } from './work-say.ts';
import { addShowCommand } from './work-show.ts';
import { addSubmitCommand } from './work-submit.ts';
import { addTailCommand } from './work-tail.ts';

const DEFAULT_LIMIT = 20;

/** Adds `animus work submit|list|show|tail|diff|apply|checkout|discard|worktrees|say|cancel|retry`; approvals add approve, deny, answer, grants and revoke. */
export function addWorkCommands(program: Command, run: RunCommand): void {
  const group = addGroup(
    program,
    'work',
    'work items: submit, list, show, follow, see and apply what they changed, steer, cancel, retry, approve, deny, answer',
  );
  addSubmitCommand(group, run);
  addCommand(group, 'list', {
    summary: 'list work items, newest first',
    examples: [
      'animus work list --state running',
      'animus work list --faculty engineer --limit 50 --json',
      'animus work list --state dead --after 5b1f0c3de2a9',
    ],
  })
    .option('--state <state>', `only this state (${WORK_STATES.join(', ')})`, workState)
    .option('--faculty <name>', 'only this faculty')
    .option('--parent <id>', 'only children of this item')
    .option('--limit <n>', 'at most this many items', wholeNumber(1, 10_000), DEFAULT_LIMIT)
    .option('--after <id>', 'the next page: only items that are listed after this one')
    .action(run(listCommand));
  addShowCommand(group, run);
  addTailCommand(group, run);
  addResultCommands(group, run);
  addSayCommand(group, run);
  addOperateCommands(group, run);
}

interface ListOptions extends CommonOptions {
  readonly state?: WorkState;
  readonly faculty?: string;
  readonly parent?: string;
  readonly limit: number;
  readonly after?: string;
}

async function listCommand(invocation: Invocation, options: ListOptions): Promise<number> {
  const { output } = invocation;
  const { state, faculty, limit } = options;
  const found = await withDatabase(invocation, async (db) => {
    const parentId = options.parent === undefined ? undefined : await findWork(db, options.parent);
    const after = options.after === undefined ? undefined : await cursorOf(db, options.after);
    const filter = { state, faculty, parentId, after, limit: limit + 1 };
    if (await seesTables(db)) return listWork(db, filter);
    const { listOwnWork } = await import('../../store/views/own-work.ts');
    return listOwnWork(db, filter);
  });
  const items = found.slice(0, limit);
  const next = found.length > limit ? items.at(-1)!.id : null;
  output.document({ items, next });
  if (items.length === 0) output.note('no work items');
  else
    output.table(
      COLUMNS,
      items.map((item) => rowOf(item, Date.now())),
    );
  if (next !== null) output.note(`there are more; the next page: ${nextPage(options, next)}`);
  return 0;
}

/** The item of a page's end may have been deleted since, so a whole id is taken as it is. */
async function cursorOf(db: Queryable, reference: string): Promise<string> {
  return FULL_ID.test(reference) ? reference : findWork(db, reference);
}

function nextPage({ state, faculty, parent, limit }: ListOptions, after: string): string {
  const given = { state, faculty, parent, limit: limit === DEFAULT_LIMIT ? undefined : limit, after };
  const words = Object.entries(given).flatMap(([name, value]) =>
    value === undefined ? [] : [`--${name}`, shellWord(value)],
  );
  return ['animus work list', ...words].join(' ');
}

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATE' },
  { title: 'FACULTY', shrink: true, optional: true },
  { title: 'AGE', align: 'right', optional: true },
  { title: 'TURNS', align: 'right', optional: true },
  { title: 'COST', align: 'right', optional: true },
  { title: 'WAITS', shrink: true, optional: true },
  { title: 'DESCRIPTION', shrink: true },
];

function rowOf(item: WorkSummary, nowMs: number) {
  const spent = costOfWork(item);
  const turns = item.turns === 0 ? styled('-', 'dim') : String(item.turns);
  const description = shortDescription(item.description, 200) || styled('(no description)', 'dim');
  const created = age(item.created_at, nowMs).replace(' ago', '');
  const waits = item.waiting?.why ?? styled('-', 'dim');
  return [shortId(item.id), stateLabel(item.state), item.faculty, created, turns, spent, waits, description];
}
