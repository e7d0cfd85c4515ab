/** `animus inbox`: what waits for a person, of all work, by its cause. */
import type { Command } from 'commander';
import { AnimusError, usageError } from '../../core/errors/errors.ts';
import { type Asked, readAsked, readAsks } from '../../operations/asked.ts';
import { findWork } from '../../store/views/find-work.ts';
import { wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import { counted } from '../../terminal/view/quantities.ts';
import { showAsked } from '../../terminal/view/show-asked.ts';
import { type AskedGroup, decideAll, readGroups } from './store.ts';

interface InboxOptions extends CommonOptions {
  readonly limit: number;
  readonly full?: boolean;
  readonly group?: string;
  readonly deny?: string;
  readonly seen?: string;
}

/** Adds `animus inbox`. */
export function addInboxCommand(program: Command, run: RunCommand): void {
  addCommand(program, 'inbox [id]', {
    summary: 'list what waits for a person: calls to approve and questions to answer, with the commands for that',
    examples: ['animus inbox', 'animus inbox 5b1f0c3de2a9 --full', 'animus inbox --json'],
  })
    .option('--limit <n>', 'at most this many causes', wholeNumber(1, 1000), 20)
    .option('--full', 'whole inputs, however long')
    .option('--group <id>', 'each request of one cause, the first hundred')
    .option('--deny <note>', 'with --group: deny all that it lists')
    .option('--seen <note>', 'with --group: acknowledge all that was lost')
    .action(run(inboxCommand));
}

async function inboxCommand(
  invocation: Invocation,
  options: InboxOptions,
  reference: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const { limit, full, group, deny, seen } = options;
  if (group === undefined && (deny ?? seen) !== undefined) {
    throw usageError('--deny and --seen can only be used with --group');
  }
  if (group !== undefined) return groupCommand(invocation, options, group);
  if (reference !== undefined) {
    const waiting = await withDatabase(invocation, async (db) => readAsked(db, await findWork(db, reference)));
    output.document({ waiting });
    if (waiting.length === 0) output.note('nothing waits for a person');
    showAll(output, waiting, full);
    return 0;
  }
  const { groups, waiting } = await withDatabase(invocation, async (db) => {
    const found = await readGroups(db, limit);
    const asks = found.flatMap((one) => one.ask_ids);
    return { groups: found, waiting: await readAsks(db, asks) };
  });
  output.document({ groups, waiting });
  if (groups.length === 0) output.note('nothing waits for a person');
  const first = new Map(waiting.map((asked) => [asked.ask_id, asked]));
  for (const [index, one] of groups.entries()) {
    if (index > 0) output.line();
    const asked = first.get(one.ask_ids[0] ?? '');
    if (asked) showAsked(output, asked, full);
    if (one.count > 1) showMore(invocation, one);
  }
  if (groups.length === limit) output.note(`there may be more: ${output.called} inbox --limit 1000`);
  return 0;
}

function showAll(output: Output, waiting: readonly Asked[], full: boolean | undefined): void {
  for (const [index, asked] of waiting.entries()) {
    if (index > 0) output.line();
    showAsked(output, asked, full);
  }
}

/** How many others have the same cause, and how to see and decide them. */
function showMore({ output }: Invocation, { count, items, subject, group_id: id }: AskedGroup): void {
  const of = items > 1 ? ` of ${counted(items, 'work item')}` : '';
  output.line('  ', styled(`and ${counted(count - 1, 'more request')}${of} for the same cause`, 'yellow'));
  output.command('  ', `inbox --group ${shortGroup(id)}`);
  output.command('  ', `inbox --group ${shortGroup(id)} ${subject === 'lost' ? "--seen 'WHY'" : "--deny 'WHY'"}`);
}

/** The ids of causes are hashes: six digits tell those of an inbox apart. */
const shortGroup = (id: string) => id.slice(0, 6);

async function groupCommand(
  invocation: Invocation,
  { full, deny, seen }: InboxOptions,
  reference: string,
): Promise<number> {
  const { output } = invocation;
  const { waiting, decided } = await withDatabase(invocation, async (db) => {
    const found = (await readGroups(db, 1000)).filter(({ group_id: id }) => id.startsWith(reference));
    const [one, ...others] = found;
    if (one === undefined || others.length > 0) {
      const detail =
        one === undefined ? `no group ${reference} is waiting` : `${found.length} groups begin with these digits`;
      throw new AnimusError('work.not_found', { id: reference, detail });
    }
    const listed = await readAsks(db, one.ask_ids);
    const note = deny ?? seen;
    if (note === undefined) return { waiting: listed, decided: null };
    const asks = listed.map(({ ask_id: ask }) => ask);
    return { waiting: listed, decided: await decideAll(db, asks, deny === undefined ? 'answer' : 'deny', note) };
  });
  output.document({ waiting, decided });
  if (decided !== null) {
    output.line(counted(decided, 'request'), '  ', styled(deny === undefined ? 'acknowledged' : 'denied', 'red'));
    return 0;
  }
  showAll(output, waiting, full);
  return 0;
}
