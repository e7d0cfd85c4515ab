/** `animus budget list|set|remove`: limits of what work may cost. */
import { type Command, InvalidArgumentError } from 'commander';
import type { BudgetPeriod, BudgetScope } from '../../core/config/sections/budget.ts';
import { usageError } from '../../core/errors/errors.ts';
import { FULL_ID } from '../../core/work/id-reference.ts';
import { findWork } from '../../store/views/find-work.ts';
import { choice, wholeNumber } from '../../terminal/command/arguments.ts';
import { addCommand, type CommonOptions, type Invocation } from '../../terminal/command/command.ts';
import { type AddOperation, operationCommand, performOperation } from '../../terminal/command/operation-command.ts';
import { limitAmount } from '../../terminal/view/limits.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { age, amountOf, grouped, shortId, uncertainParts } from '../../terminal/view/quantities.ts';
import { cut, right, showTable, spare } from '../../terminal/view/table.ts';
import * as acts from './operations.ts';
import type { StoredLimit } from './store.ts';

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

const list = operationCommand(acts.listBudgets, {
  usage: 'list',
  summary: 'list the limits, with what is used of each',
  examples: ['animus budget list', 'animus budget list --json'],
  document: ({ result: { items: limits } }) => ({ limits }),
  show: (output, { result: { items } }) => showLimits(output, items),
});

const set: AddOperation = (group, run) => {
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
};

const remove: AddOperation = (group, run) => {
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
};

export const budgetCommands = [list, set, remove];

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
  throw new InvalidArgumentError('Expected an amount such as 12.50, at least 0.000001.');
}

function showLimits(output: Output, limits: readonly StoredLimit[]): void {
  if (limits.length === 0) return output.note('no limits');
  showTable(output, limits, [
    ['LIMITS', ({ scope, subject }) => styled(scopeTitle(scope, subject), 'bold')],
    [cut('SUBJECT'), ({ subject }) => (subject !== null && FULL_ID.test(subject) ? shortId(subject) : (subject ?? ''))],
    ['PER', ({ period }) => (period === 'none' ? styled('-', 'dim') : period)],
    [right('LIMIT'), ({ amount, unit }) => limitAmount(amount, unit)],
    [right('SPENT'), spentOf],
    [spare(right('HELD')), ({ held, unit }) => (held ? amountOf(held, unit) : styled('-', 'dim'))],
    ['THEN', ({ on_exceeded: then }) => then ?? styled('wait', 'dim')],
    [cut('SET BY'), setterOf],
  ]);
}

function spentOf({ unit, amount, used, spent, estimated, lost }: StoredLimit): Part {
  if (spent === null) return '-';
  const share = used === null ? 0 : used / amount;
  const parts =
    unit === 'usd' ? uncertainParts({ estimated_usd: estimated ?? 0, lost_usd: lost ?? 0 }) : assumedTokens(lost ?? 0);
  return styled(`${amountOf(spent, unit)}${parts}`, share >= 1 ? 'red' : share >= 0.8 ? 'yellow' : 'plain');
}

/** Of tokens: those of lost requests and uncounted answers, which `spend` has not among its tokens. */
function assumedTokens(count: number): string {
  return count === 0 ? '' : ` (including ${grouped(count)} assumed)`;
}

function setterOf({ origin, set_by: setBy, base, unit, expires_at: expiresAt }: StoredLimit): string {
  if (origin !== 'extension') return origin === 'file' ? 'a file' : setBy;
  const from = base === null ? '' : ` from ${limitAmount(base, unit)}`;
  return `${setBy}, by approval${from}${expiresAt === null ? '' : `, ends ${age(expiresAt, Date.now())}`}`;
}

/** `each item`: of a faculty. */
function scopeTitle(scope: string, subject: string | null): string {
  return (scope === 'item' || scope === 'root') && subject !== null && !FULL_ID.test(subject) ? `each ${scope}` : scope;
}

async function setCommand(invocation: Invocation, options: SetOptions): Promise<number> {
  const { usd, tokens, onExceeded } = options;
  if ((usd === undefined) === (tokens === undefined)) {
    throw usageError('give either --usd or --tokens');
  }
  const { name, ids } = subjectOf(options);
  const amount = usd ?? tokens;
  const typed = { ...name, unit: usd === undefined ? 'tokens' : 'usd', amount, on_exceeded: onExceeded };
  return performOperation(
    acts.setBudget,
    {
      ids,
      document: ({ input, result: { scope, subject, period, unit } }) => ({
        scope,
        subject,
        period,
        unit,
        amount: input.amount,
        on_exceeded: input.on_exceeded ?? null,
      }),
      show: (output, { input, result }) =>
        output.line(styled('limited  ', 'green'), titleOf(result), `: ${limitAmount(input.amount, input.unit)}`),
    },
    invocation,
    typed,
  );
}

async function removeCommand(invocation: Invocation, options: RemoveOptions): Promise<number> {
  const { name, ids } = subjectOf(options);
  return performOperation(
    acts.removeBudget,
    {
      ids,
      document: ({ input: { scope, subject = null, period, unit }, result: { removed } }) => ({
        scope,
        subject,
        period,
        unit,
        removed,
      }),
      show(output, { input, result: { removed } }) {
        if (removed) output.line(styled('removed  ', 'green'), titleOf(input));
        else output.note(`${titleOf(input)} has no limit that was set by command or SQL`);
      },
    },
    invocation,
    { ...name, unit: options.unit },
  );
}

interface Titled {
  readonly scope: string;
  readonly subject?: string | null | undefined;
  readonly period: string;
}

function titleOf({ scope, subject = null, period }: Titled): string {
  return `${scopeTitle(scope, subject)}${subject === null ? '' : ` ${subject}`}${period === 'none' ? '' : `, per ${period}`}`;
}

/** Which limit the options name; ids of work may be shortened. */
function subjectOf(options: SubjectOptions) {
  const { item, eachItem, root, eachRoot, faculty, appliance, per } = options;
  const given: readonly (readonly [scope: BudgetScope, subject: string | undefined, isId?: true])[] = [
    ['item', item, true],
    ['item', eachItem],
    ['root', root, true],
    ['root', eachRoot],
    ['faculty', faculty],
  ];
  const named = given.filter(([, subject]) => subject !== undefined);
  const [one = ['appliance', undefined] as const, another] = appliance
    ? [['appliance', undefined] as const, ...named]
    : named;
  if (another !== undefined || (named.length === 0 && !appliance)) {
    const detail = 'give one of --item, --each-item, --root, --each-root, --faculty and --appliance';
    throw usageError(detail);
  }
  const [scope, subject, isId] = one;
  if ((scope === 'item' || scope === 'root') && per !== undefined) {
    throw usageError('--per can only be used with --faculty or --appliance');
  }
  const period: BudgetPeriod = per ?? 'none';
  return { name: { scope, subject, period }, ids: isId ? { subject: findWork } : {} };
}
