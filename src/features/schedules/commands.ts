/** `animus schedule list|add|pause|resume|run|remove`: work that is submitted on a schedule. */
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { FACULTY_NAME } from '../../core/work/faculty-name.ts';
import type { Queryable } from '../../store/sql/database.ts';
import { readValues } from '../../store/sql/read-value.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { readInput } from '../../terminal/command/read-input.ts';
import { nextRun } from '../../terminal/view/next-run.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import type { Part } from '../../terminal/view/part.ts';
import { age, counted } from '../../terminal/view/quantities.ts';
import { cut, right, showTable } from '../../terminal/view/table.ts';
import * as acts from './operations.ts';
import {
  databaseNow,
  listSchedules,
  MISSED_POLICIES,
  notFound,
  OVERLAP,
  OVERLAP_POLICIES,
  type Schedule,
} from './store.ts';

const named = { ids: { name: findSchedule } };

const list = operationCommand(acts.listSchedules, {
  usage: 'list',
  summary: 'list the schedules with their last and next run, and how many runs they missed or skipped',
  examples: ['animus schedule list', 'animus schedule list --json'],
  after: databaseNow,
  document: ({ result: { items: schedules } }) => ({ schedules }),
  show: (output, { result: { items }, after: now }) => showSchedules(output, items, now.getTime()),
});

const add = operationCommand(acts.addSchedule, {
  usage: 'add <name> <cron> <faculty> [description]',
  summary: 'add a schedule: five cron fields (six with seconds first), or @hourly, @daily, …',
  examples: [
    'animus schedule add triage "*/15 * * * *" triager "Look through the new issues"',
    'animus schedule add report "0 9 * * MON-FRI" writer --time-zone Europe/Berlin --missed skip',
    'animus schedule add plan "* * * * *" planner --overlap skip',
  ],
  options: {
    time_zone: ['--time-zone <zone>', 'an IANA name such as Europe/Berlin'],
    params: ['--params <json>', 'a JSON object, or @file'],
    missed: [
      '--missed <policy>',
      `what to do with runs missed while no daemon was running: ${MISSED_POLICIES.join(', ')}`,
    ],
    grace_seconds: ['--grace <seconds>', 'with skip: a run that is at most this late is still fired'],
    overlap: ['--overlap <policy>', `${OVERLAP}: ${OVERLAP_POLICIES.join(', ')}`],
    paused: ['--paused', 'create it paused'],
  },
  read: async (given, { context }) =>
    given.description === '-' ? { ...given, description: await readInput(context.stdin) } : given,
  check({ name, faculty }) {
    const rule = `a valid schedule name: expected ${acts.SCHEDULE_NAME_RULE}`;
    if (!acts.SCHEDULE_NAME.test(name)) throw notValid(name, rule);
    if (!FACULTY_NAME.test(faculty)) throw notValid(faculty, 'a valid faculty name; is the cron expression in quotes?');
    return null;
  },
  after: databaseNow,
  document: ({ input: { name, cron, time_zone, paused }, result: { dueTimes }, after: now }) => ({
    name,
    cron,
    time_zone,
    paused,
    next_at: paused ? null : dueTimes.next(now),
  }),
  show(output, { input: { name, paused }, result: { dueTimes }, after: now }) {
    const first = dueTimes.next(now);
    const when = first === null ? 'never' : `${first.toISOString()} (${age(first, now.getTime())})`;
    output.line(styled(name, 'bold'), paused ? '  added, paused' : `  added; first due at ${when}`);
  },
});

const pause = operationCommand(acts.pauseSchedule, {
  ...named,
  usage: 'pause <name>',
  summary: 'pause it; runs that fall due while it is paused are not made up',
  examples: ['animus schedule pause triage'],
  show: showPaused,
});

const resume = operationCommand(acts.resumeSchedule, {
  ...named,
  usage: 'resume <name>',
  summary: 'resume it; its next run is computed from now',
  examples: ['animus schedule resume triage'],
  show: showPaused,
});

const run = operationCommand(acts.runSchedule, {
  ...named,
  usage: 'run <name>',
  summary: 'submit its work now, even while paused; its next run does not change',
  examples: ['animus schedule run triage'],
  show: (output, { result }) => output.line(styled(result.work_item_id, 'bold'), '  created'),
});

const remove = operationCommand(acts.removeSchedule, {
  ...named,
  usage: 'remove <name>',
  summary: 'remove it and the record of its runs; work items it submitted stay',
  examples: ['animus schedule remove triage'],
  show: (output, { result: { name, runs } }) =>
    output.line(styled(name, 'bold'), '  removed', runs > 0 ? `, with ${counted(runs, 'recorded run')}` : ''),
});

export const scheduleCommands = [list, add, pause, resume, run, remove];

function showSchedules(output: Output, schedules: readonly Schedule[], nowMs: number): void {
  if (schedules.length === 0) return output.note('no schedules');
  showTable(output, schedules, [
    [cut('NAME'), ({ name }) => styled(name, 'bold')],
    ['CRON', ({ cron }) => cron],
    [cut('TIME ZONE'), ({ time_zone: zone }) => zone],
    [cut('FACULTY'), ({ faculty }) => faculty],
    ['NEXT', (schedule) => nextOf(schedule, nowMs)],
    ['LAST', ({ last_at: last }) => (last === null ? styled('-', 'dim') : age(last, nowMs))],
    [right('MISSED'), (schedule) => countOf(schedule, 'missed')],
    [right('SKIPPED'), (schedule) => countOf(schedule, 'skipped')],
    [cut('DESCRIPTION'), ({ description }) => description],
  ]);
  for (const { name, problem } of schedules) if (problem !== null) output.block(`problem  ${name}: ${problem}`);
}

function countOf({ runs }: Schedule, result: string): Part {
  const count = runs.reduce((sum, run) => sum + (run.result === result ? run.runs : 0), 0);
  return count === 0 ? styled('-', 'dim') : styled(String(count), 'yellow');
}

function nextOf(schedule: Schedule, nowMs: number): Part {
  if (schedule.problem !== null && !schedule.paused) return styled('problem', 'red');
  return nextRun(schedule, nowMs) ?? styled('not computed yet', 'dim');
}

function notValid(given: string, kind: string): AnimusError {
  return new AnimusError('schedule.invalid', { detail: `${JSON.stringify(given)} is not ${kind}` });
}

function showPaused(
  output: Output,
  { result }: { readonly result: { name: string; paused: boolean; changed: boolean } },
) {
  const { name, paused, changed } = result;
  output.line(styled(name, 'bold'), changed ? '' : '  was already', paused ? '  paused' : '  active');
}

/** Errors: `schedule.not_found`, with the name that is like it. */
async function findSchedule(db: Queryable, name: string): Promise<string> {
  const [found] = await listSchedules(db, name);
  if (found) return name;
  const all = await readValues<string>(db, 'select name from animus.visible_schedules order by name limit 1000');
  throw notFound(name, didYouMean(name, all));
}
