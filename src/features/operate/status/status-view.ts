/** What `animus status` prints for people, on one screen. */

import { WORK_STATES } from '../../../core/work/work.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import type { Part } from '../../../terminal/view/part.ts';
import {
  age,
  callsOf,
  cost,
  countedCalls,
  grouped,
  shortId,
  stateLabel,
  tokens,
  uncertainParts,
} from '../../../terminal/view/quantities.ts';
import { showWorktrees } from '../../../terminal/view/show-worktrees.ts';
import { cut, right, showTable, spare } from '../../../terminal/view/table.ts';
import type { ShowStatus } from '../../feature.ts';
import type { Status } from './status.ts';
import { showAsks } from './status-asks.ts';
import { showBudgets } from './status-budgets.ts';
import { showDaemons } from './status-daemons.ts';
import { showWaiting } from './status-waiting.ts';
import { showInbox, showSchedules } from './status-ways-in.ts';

/** The status of one database. */
export interface StatusReport {
  readonly kind: string;
  readonly where: string;
  readonly status: Status;
  /** What prints the keys of features. */
  readonly parts: readonly { readonly last: boolean; readonly show: ShowStatus }[];
}

/** A report as programs read it: the status beside the database's name. */
export type ReportDocument = Status & { readonly database: { readonly kind: string; readonly where: string } };

/** Prints it, a section for each thing there is. */
export function showStatus(output: Output, { kind, where, status, parts }: StatusReport): void {
  output.line(styled('Database  ', 'bold'), `${kind} at ${where}`);
  showStates(output, status);
  showDaemons(output, status);
  showAsks(output, status);
  showFoci(output, status);
  showQueue(output, status);
  showWaiting(output, status);
  showDeadLetters(output, status);
  showSchedules(output, status);
  showInbox(output, status);
  for (const { last, show } of parts) if (!last) show(output, status as never);
  showKept(output, status);
  showWorktrees(output, status);
  showSpend(output, status);
  showBudgets(output, status);
  showPauses(output, status);
  for (const { last, show } of parts) if (last) show(output, status as never);
}

/** The same for programs. */
export function reportJson({ kind, where, status }: StatusReport): ReportDocument {
  return { database: { kind, where }, ...status };
}

function showStates(output: Output, { states, capped, count_cap: cap }: Status): void {
  const parts: Part[] = [];
  for (const state of WORK_STATES) {
    const count = states[state] ?? 0;
    if (count > 0 || capped.includes(state))
      parts.push(
        parts.length > 0 ? ', ' : '',
        `${grouped(count)}${capped.includes(state) ? '+' : ''} `,
        stateLabel(state),
      );
  }
  output.line(
    styled('Work      ', 'bold'),
    ...(parts.length > 0 ? parts : [styled('none', 'dim')]),
    styled(
      `  (ended work: ${capped.includes('completed') ? `newest ${grouped(cap)} of the ` : ''}last 24 h; dead work: all)`,
      'dim',
    ),
  );
}

function showFoci(output: Output, { foci, at }: Status): void {
  if (foci.length === 0) return;
  const now = Date.parse(at);
  output.line();
  showTable(output, foci, [
    ['RUNNING', (focus) => shortId(focus.work_item_id)],
    [cut('FACULTY'), (focus) => focus.faculty],
    [spare('PHASE'), (focus) => focus.phase ?? focus.state],
    [right('TURN'), (focus) => String(focus.turn ?? '-')],
    [spare(right('FOR')), ({ started_at: at }) => (at === null ? '-' : age(at, now).replace(' ago', ''))],
    [spare(right('COST')), (focus) => cost(focus.cost_usd, focus.unpriced_calls)],
    [cut('TASK'), (focus) => focus.description],
    [spare(cut('PLAN')), (focus) => focus.plan ?? ''],
  ]);
}

function showQueue(output: Output, { queue, at }: Status): void {
  if (queue.length === 0) return;
  const now = Date.parse(at);
  output.line();
  showTable(output, queue, [
    [cut('QUEUE'), (line) => line.faculty],
    [right('QUEUED'), (line) => `${grouped(line.queued)}${line.capped ? '+' : ''}`],
    [spare('OLDEST'), (line) => (line.oldest_at === null ? '-' : age(line.oldest_at, now))],
  ]);
}

function showDeadLetters(output: Output, { dead_letters: letters, states, capped, at }: Status): void {
  if (letters.length === 0) return;
  const now = Date.parse(at);
  output.line();
  showTable(output, letters, [
    ['DEAD', (letter) => styled(shortId(letter.work_item_id), 'red')],
    [spare(cut('FACULTY')), (letter) => letter.faculty],
    [spare('ENDED'), (letter) => age(letter.resolved_at, now)],
    [cut('WHY'), (letter) => letter.reason],
  ]);
  const dead = states.dead ?? 0;
  if (dead > letters.length)
    output.line(
      `${grouped(dead - letters.length)}${capped.includes('dead') ? '+' : ''} more: animus work list --state dead`,
    );
  output.line(styled('details: animus work show ID; run it again: animus work retry ID', 'dim'));
}

/** Prints nothing while retention can remove all old rows. */
function showKept(output: Output, { kept, count_cap: cap }: Status): void {
  if (kept.rows === 0) return;
  const { table, id, referenced_by: by } = kept.examples[0]!;
  const row = id === '*' ? `rows of ${table}` : `${table} ${id}`;
  output.line(
    styled('problem  ', 'red'),
    `retention keeps ${grouped(kept.rows)}${kept.rows >= cap ? '+' : ''} that foreign keys refer to, such as ${row} by ${by}; see: animus doctor`,
  );
}

function showSpend(output: Output, { spend_today: spend }: Status): void {
  if (spend.length === 0) return;
  output.line();
  showTable(output, spend, [
    [cut('TODAY (UTC)'), (line) => line.faculty],
    [cut('MODEL'), (line) => line.model],
    [spare(right('CALLS')), (line) => callsOf({ calls: line.calls, code_runs: line.code_runs ?? 0 })],
    [spare(right('IN')), (line) => tokens(line.input_tokens, line.uncounted_calls)],
    [spare(right('OUT')), (line) => tokens(line.output_tokens, line.uncounted_calls)],
    [right('COST'), (line) => cost(line.usd, line.unpriced_calls)],
  ]);
  const sumOf = (
    key: 'usd' | 'unpriced_calls' | 'estimated_usd' | 'lost_usd' | 'calls' | 'lost_requests' | 'code_runs',
  ) => spend.reduce((sum, line) => sum + (line[key] ?? 0), 0);
  const unpriced = sumOf('unpriced_calls');
  const known = sumOf('usd');
  const total = cost(unpriced > 0 && known === 0 ? null : known, unpriced);
  output.line(
    styled('Spent     ', 'bold'),
    `${total}${uncertainParts({ estimated_usd: sumOf('estimated_usd'), lost_usd: sumOf('lost_usd') })} today in ${countedCalls(
      {
        calls: sumOf('calls'),
        lost_requests: sumOf('lost_requests'),
        code_runs: sumOf('code_runs'),
      },
    )}`,
  );
}

function showPauses(output: Output, { pauses }: Status): void {
  for (const { faculty, reason } of pauses) {
    const what = faculty === '*' ? 'every faculty' : faculty;
    output.line(styled('Paused    ', 'yellow'), `${what}: ${reason}`);
  }
}
