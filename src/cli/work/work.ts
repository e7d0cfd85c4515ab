/** `animus work …`. */
import type { Command } from 'commander';
import { WORK_STATES, type WorkState } from '../../core/work/work.ts';
import { findWork } from '../../store/views/find-work.ts';
import { listWork } from '../../store/views/work-list.ts';
import type { WorkSummary } from '../../store/views/work-views.ts';
import { wholeNumber, workState } from '../command/arguments.ts';
import { addCommand, addGroup, type CommonOptions, type Invocation, type RunCommand } from '../command/command.ts';
import { withDatabase } from '../command/database.ts';
import { type Column, styled } from '../view/output.ts';
import { age, shortDescription, shortId, stateLabel, usd } from '../view/quantities.ts';
import { addOperateCommands } from './work-operate.ts';
import { addSayCommand } from './work-say.ts';
import { addShowCommand } from './work-show.ts';
import { addSubmitCommand } from './work-submit.ts';
import { addTailCommand } from './work-tail.ts';

/** Adds `animus work submit|list|show|tail|say|cancel|retry`. */
export function addWorkCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'work', 'work items: submit, list, show, follow, steer, cancel, retry');
  addSubmitCommand(group, run);
  addCommand(group, 'list', {
    summary: 'list work items, newest first',
    examples: ['animus work list --state running', 'animus work list --faculty engineer --limit 50 --json'],
  })
    .option('--state <state>', `only this state (${WORK_STATES.join(', ')})`, workState)
    .option('--faculty <name>', 'only this faculty')
    .option('--parent <id>', 'only children of this item')
    .option('--limit <n>', 'at most this many items', wholeNumber(1, 10_000), 20)
    .action(run(listCommand));
  addShowCommand(group, run);
  addTailCommand(group, run);
  addSayCommand(group, run);
  addOperateCommands(group, run);
}

interface ListOptions extends CommonOptions {
  readonly state?: WorkState;
  readonly faculty?: string;
  readonly parent?: string;
  readonly limit: number;
}

async function listCommand(invocation: Invocation, options: ListOptions): Promise<number> {
  const { output } = invocation;
  const items = await withDatabase(invocation, async (db) => {
    const parentId = options.parent === undefined ? undefined : await findWork(db, options.parent);
    return listWork(db, { state: options.state, faculty: options.faculty, parentId, limit: options.limit });
  });
  output.document({ items });
  if (items.length === 0) output.note('no work items');
  else
    output.table(
      COLUMNS,
      items.map((item) => rowOf(item, Date.now())),
    );
  return 0;
}

const COLUMNS: readonly Column[] = [
  { title: 'ID' },
  { title: 'STATE' },
  { title: 'FACULTY', shrink: true, optional: true },
  { title: 'AGE', align: 'right', optional: true },
  { title: 'TURNS', align: 'right', optional: true },
  { title: 'COST', align: 'right', optional: true },
  { title: 'DESCRIPTION', shrink: true },
];

function rowOf(item: WorkSummary, nowMs: number) {
  const cost = item.cost_usd === 0 ? styled('-', 'dim') : usd(item.cost_usd);
  const turns = item.turns === 0 ? styled('-', 'dim') : String(item.turns);
  const description = shortDescription(item.description, 200) || styled('(no description)', 'dim');
  const created = age(item.created_at, nowMs).replace(' ago', '');
  return [shortId(item.id), stateLabel(item.state), item.faculty, created, turns, cost, description];
}
