/** `animus spend`: what model calls cost; `animus spend items`: which work cost most and which took longest. */
import { type Command, InvalidArgumentError } from 'commander';
import { usageError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { pastMoment, wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { DEFAULT_SPEND_DAYS, defaultSince, readSpend, SPEND_GROUPS, type SpendPeriod } from './spend.ts';
import { readSpendItems, readSpendRoots } from './spend-items.ts';
import { showItems, showRoots, showSpend } from './spend-view.ts';

interface PeriodOptions extends CommonOptions {
  readonly since?: Date;
  readonly until?: Date;
  readonly limit?: number;
  readonly by?: readonly SpendBy[];
}

interface ItemsOptions extends PeriodOptions {
  readonly slowest?: boolean;
  readonly dearest?: boolean;
}

const SPEND_BY = [...SPEND_GROUPS, 'root'] as const;
type SpendBy = (typeof SPEND_BY)[number];

/** Adds `animus spend`. */
export function addSpendCommands(program: Command, run: RunCommand): void {
  const group = withPeriod(
    addCommand(program, 'spend', {
      summary: 'show what model calls cost, by UTC day',
      examples: [
        'animus spend',
        'animus spend --by day,faculty --since 7d',
        'animus spend --by month,submitter --since 2026-01-01 --json',
        'animus spend --by root --limit 10',
      ],
    }),
  )
    .option('--by <words>', `a list of ${SPEND_GROUPS.join(', ')}; or root alone (default: faculty,model)`, groups)
    .action(run(spendCommand));
  withPeriod(
    addCommand(group, 'items', {
      summary: 'list the work items that cost most, or that took longest',
      examples: ['animus spend items --dearest', 'animus spend items --slowest --since 1d --limit 50'],
    }),
  )
    .option('--dearest', 'by what they cost (the default)')
    .option('--slowest', 'by the time from their submission to their end')
    .action(run(itemsCommand));
}

function withPeriod(command: Command): Command {
  return command
    .option(
      '--since <time>',
      `since this UTC day: 2026-03-01, or 7d (ago) (default: ${DEFAULT_SPEND_DAYS} days)`,
      pastMoment,
    )
    .option('--until <time>', 'only before this UTC day', pastMoment)
    .option('--limit <n>', 'at most this many rows (default: 50, of items 20)', wholeNumber(1, 100_000));
}

async function spendCommand(invocation: Invocation, options: PeriodOptions): Promise<number> {
  const { output } = invocation;
  const { by = ['faculty', 'model'], limit } = options;
  const period = periodOf(options);
  if (by.includes('root')) {
    if (by.length > 1) throw usageError('--by root cannot be combined with other groupings: each root is a work item');
    const roots = await withDatabase(invocation, (db) => readSpendRoots(db, period, limit ?? 20));
    output.document({ ...period, by, roots });
    showRoots(output, period, roots);
    return 0;
  }
  const wanted = SPEND_GROUPS.filter((group) => by.includes(group));
  const spend = await withDatabase(invocation, (db) => readSpend(db, wanted, period, limit ?? 50));
  output.document({ ...period, by: wanted, ...spend });
  showSpend(output, period, wanted, spend);
  return 0;
}

async function itemsCommand(invocation: Invocation, options: ItemsOptions): Promise<number> {
  const { output } = invocation;
  const { slowest = false, dearest = false, limit = 20 } = options;
  if (slowest && dearest) throw usageError('give --slowest or --dearest, not both');
  const period = periodOf(options);
  const order = slowest ? 'slowest' : 'dearest';
  const items = await withDatabase(invocation, (db) => readSpendItems(db, order, period, limit));
  output.document({ ...period, order, items });
  showItems(output, period, order, items);
  return 0;
}

/** UTC days, from `since` on and before `until`. */
function periodOf({ since, until }: PeriodOptions): SpendPeriod {
  const end = until ? dayOf(until) : null;
  const first = since ? dayOf(since) : defaultSince(end, Date.now());
  if (end !== null && end <= first) {
    throw usageError(`--until must be a later UTC day than --since (${first})`);
  }
  return { since: first, until: end };
}

function dayOf(time: Date): string {
  return time.toISOString().slice(0, 10);
}

function groups(value: string): readonly SpendBy[] {
  const words = value.split(',').map((word) => word.trim());
  return words.map((word) => {
    const known = SPEND_BY.find((each) => each === word);
    if (known) return known;
    throw new InvalidArgumentError(`Expected words of ${SPEND_BY.join(', ')}${didYouMean(word, SPEND_BY)}.`);
  });
}
