/** `animus budget list|set|remove`: limits of what work may cost. */
import { type Command, InvalidArgumentError } from 'commander';
import type { BudgetPeriod, BudgetScope } from '../../core/config/budget.ts';
import { AnimusError } from '../../core/errors/errors.ts';
import { FULL_ID } from '../../core/work/id-reference.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { findWork } from '../../store/views/find-work.ts';
import { type LimitName, listBudgets, removeBudget, type StoredLimit, setBudget } from '../../store/work/budgets.ts';
import { choice, wholeNumber } from '../../terminal/command/arguments.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { limitAmount } from '../../terminal/view/limits.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, amountOf, grouped, shortId, uncertainParts } from '../../terminal/view/quantities.ts';

interface SubjectOptions extends CommonOptions {
  readonly item?: string;
  readonly eachItem?: string;
  readonly root?: string;
  readonly eachRoot?: string;
  readonly faculty?: string;
  readonly appliance?: boolean;
  readonly per?: 'day' | 'month';
}

interface SetOptions extends SubjectOptions {
  readonly usd?: number;
  readonly tokens?: number;
  readonly onExceeded?: 'wait' | 'die';
}

interface RemoveOptions extends SubjectOptions {
  readonly unit: 'usd' | 'tokens';
}

/** Adds `animus budget list|set|remove`. */
export function addBudgetCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'budget', 'limits of what work may cost');
  addCommand(group, 'list', {
    summary: 'list the limits, with what is used of each',
    examples: ['animus budget list', 'animus budget list --json'],
  }).action(run(listCommand));
  withSubject(
    addCommand(group, 'set', {
      summary: 'set a limit; it replaces that of a file for the same thing and period',
      examples: [
        'animus budget set --appliance --per day --usd 50',
        'animus budget set --faculty engineer --per month --usd 400',
        'animus budget set --item 5b1f0c3de2a9 --usd 12 --on-exceeded die',
      ],
    }),
  )
    .option('--usd <amount>', 'the limit in US dollars', dollars)
    .option('--tokens <n>', 'the limit in tokens, of prompts and answers', wholeNumber(0, 1_000_000_000_000))
    .option('--on-exceeded <what>', 'wait for an operator or the next period, or die', choice(['wait', 'die']))
    .action(run(setCommand));
  withSubject(
    addCommand(group, 'remove', {
      summary: 'remove a limit that was set by command or SQL; a limit of a file applies again',
      examples: [
        'animus budget remove --faculty engineer --per month',
        'animus budget remove --item 5b1f0c3de2a9 --unit tokens',
      ],
    }),
  )
    .option('--unit <unit>', 'usd or tokens', choice(['usd', 'tokens']), 'usd')
    .action(run(removeCommand));
}

function withSubject(command: Command): Command {
  return command
    .option('--item <id>', 'one work item')
    .option('--each-item <faculty>', 'each work item of a faculty')
    .option('--root <id>', 'a work item without a parent, with all that it spawns')
    .option('--each-root <faculty>', 'the same for each such work item of a faculty')
    .option('--faculty <name>', 'all work of a faculty')
    .option('--appliance', 'all work in this database')
    .option('--per <period>', 'day or month, in UTC; for faculties and the appliance', choice(['day', 'month']));
}

function dollars(value: string): number {
  const amount = /^\d+(\.\d{1,6})?$/.test(value) ? Number(value) : Number.NaN;
  if (amount <= 100_000_000) return amount;
  throw new InvalidArgumentError('Expected an amount such as 12.50, from 0.000001 on.');
}

async function listCommand(invocation: Invocation, _options: CommonOptions): Promise<number> {
  const { output } = invocation;
  const limits = await withDatabase(invocation, listBudgets);
  output.document({ limits: limits.map(documentOf) });
  if (limits.length === 0) {
    output.note('no limits');
    return 0;
  }
  output.table(
    [
      { title: 'LIMITS' },
      { title: 'SUBJECT', shrink: true },
      { title: 'PER' },
      { title: 'LIMIT', align: 'right' },
      { title: 'SPENT', align: 'right' },
      { title: 'HELD', align: 'right', optional: true },
      { title: 'THEN' },
      { title: 'SET BY', shrink: true },
    ],
    limits.map(rowOf),
  );
  return 0;
}

function rowOf(limit: StoredLimit) {
  const { scope, subject, period, unit, amount, used, spent, held, estimated, lost, onExceeded } = limit;
  const share = used === null ? 0 : used / amount;
  const style = share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : null;
  const parts =
    unit === 'usd' ? uncertainParts({ estimated_usd: estimated ?? 0, lost_usd: lost ?? 0 }) : assumedTokens(lost ?? 0);
  const shown = spent === null ? '-' : `${amountOf(spent, unit)}${parts}`;
  return [
    styled(scopeTitle(scope, subject), 'bold'),
    subject === null ? '' : FULL_ID.test(subject) ? shortId(subject) : subject,
    period === 'none' ? styled('-', 'dim') : period,
    limitAmount(amount, unit),
    style === null ? shown : styled(shown, style),
    held ? amountOf(held, unit) : styled('-', 'dim'),
    onExceeded ?? styled('wait', 'dim'),
    setterOf(limit),
  ];
}

/** Of tokens: those of lost requests and uncounted answers, which `spend` has not among its tokens. */
function assumedTokens(count: number): string {
  return count === 0 ? '' : ` (of it ${grouped(count)} assumed)`;
}

function setterOf({ origin, setBy, base, unit, expiresAt }: StoredLimit): string {
  if (origin !== 'extension') return origin === 'file' ? 'a file' : setBy;
  const from = base === null ? '' : ` from ${limitAmount(base, unit)}`;
  return `${setBy}, by approval${from}${expiresAt === null ? '' : `, ends ${age(expiresAt, Date.now())}`}`;
}

/** `each item`: of a faculty. */
function scopeTitle(scope: BudgetScope, subject: string | null): string {
  return (scope === 'item' || scope === 'root') && subject !== null && !FULL_ID.test(subject) ? `each ${scope}` : scope;
}

function documentOf({ onExceeded, setBy, setAt, expiresAt, ...limit }: StoredLimit): object {
  return { ...limit, on_exceeded: onExceeded, set_by: setBy, set_at: setAt, expires_at: expiresAt };
}

async function setCommand(invocation: Invocation, options: SetOptions): Promise<number> {
  const { output } = invocation;
  const { usd, tokens, onExceeded = null } = options;
  if ((usd === undefined) === (tokens === undefined)) {
    throw new AnimusError('usage.invalid', { detail: 'give either --usd or --tokens' });
  }
  const unit = usd === undefined ? 'tokens' : 'usd';
  const amount = usd ?? tokens ?? 0;
  const name = await withDatabase(invocation, async (db) => {
    const subject = await subjectOf(db, options);
    await setBudget(db, { ...subject, unit }, amount, onExceeded);
    const faculty = options.faculty ?? options.eachItem ?? options.eachRoot;
    // A misspelt name would limit nothing.
    if (faculty !== undefined) {
      const { warnIfUnserved } = await import('../../terminal/command/known-faculties.ts');
      await warnIfUnserved(invocation, db, { name: faculty, until: 'the limit applies to nothing', named: true });
    }
    return subject;
  });
  output.document({ ...name, unit, amount, on_exceeded: onExceeded });
  output.line(styled('limited  ', 'green'), titleOf(name), `: ${limitAmount(amount, unit)}`);
  return 0;
}

async function removeCommand(invocation: Invocation, options: RemoveOptions): Promise<number> {
  const { output } = invocation;
  const { unit } = options;
  const { name, removed } = await withDatabase(invocation, async (db) => {
    const subject = await subjectOf(db, options);
    return { name: subject, removed: await removeBudget(db, { ...subject, unit }) };
  });
  output.document({ ...name, unit, removed });
  if (removed) output.line(styled('removed  ', 'green'), titleOf(name));
  else output.note(`${titleOf(name)} has no limit that was set by command or SQL`);
  return 0;
}

function titleOf({ scope, subject, period }: Omit<LimitName, 'unit'>): string {
  return `${scopeTitle(scope, subject)}${subject === null ? '' : ` ${subject}`}${period === 'none' ? '' : `, per ${period}`}`;
}

/** Which limit the options name; ids of work may be shortened. */
async function subjectOf(db: Queryable, options: SubjectOptions): Promise<Omit<LimitName, 'unit'>> {
  const { item, eachItem, root, eachRoot, faculty, appliance, per } = options;
  const period: BudgetPeriod = per ?? 'none';
  const given: { readonly scope: BudgetScope; readonly id?: string; readonly subject: string | null }[] = [
    ...(item === undefined ? [] : [{ scope: 'item' as const, id: item, subject: item }]),
    ...(eachItem === undefined ? [] : [{ scope: 'item' as const, subject: eachItem }]),
    ...(root === undefined ? [] : [{ scope: 'root' as const, id: root, subject: root }]),
    ...(eachRoot === undefined ? [] : [{ scope: 'root' as const, subject: eachRoot }]),
    ...(faculty === undefined ? [] : [{ scope: 'faculty' as const, subject: faculty }]),
    ...(appliance ? [{ scope: 'appliance' as const, subject: null }] : []),
  ];
  const [one, another] = given;
  if (one === undefined || another !== undefined) {
    const detail = 'give one of --item, --each-item, --root, --each-root, --faculty and --appliance';
    throw new AnimusError('usage.invalid', { detail });
  }
  if ((one.scope === 'item' || one.scope === 'root') && per !== undefined) {
    throw new AnimusError('usage.invalid', { detail: '--per is for --faculty and --appliance' });
  }
  const subject = one.id === undefined ? one.subject : await findWork(db, one.id);
  return { scope: one.scope, subject, period };
}
