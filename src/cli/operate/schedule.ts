/** `animus schedule …`: work that is submitted on a schedule. */
import type { Command } from 'commander';
import { AnimusError } from '../../core/errors/errors.ts';
import { readCron } from '../../core/work/cron.ts';
import { FACULTY_NAME } from '../../core/work/faculty-name.ts';
import {
  addSchedule,
  databaseNow,
  listSchedules,
  MISSED_POLICIES,
  type MissedPolicy,
  OVERLAP_POLICIES,
  type OverlapPolicy,
  pauseSchedule,
  removeSchedule,
  runSchedule,
  type Schedule,
} from '../../store/work/schedules.ts';
import { choice, wholeNumber } from '../../terminal/command/arguments.ts';
import {
  addCommand,
  addGroup,
  type CommonOptions,
  type Invocation,
  type RunCommand,
} from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { jsonObject, jsonOf } from '../../terminal/command/json-option.ts';
import { nextRun } from '../../terminal/view/next-run.ts';
import { styled } from '../../terminal/view/output.ts';
import { age, counted } from '../../terminal/view/quantities.ts';

interface AddOptions extends CommonOptions {
  readonly timeZone: string;
  readonly params?: string;
  readonly missed: MissedPolicy;
  readonly grace: number;
  readonly overlap: OverlapPolicy;
  readonly paused?: boolean;
}

/** Adds `animus schedule list|add|pause|resume|run|remove`. */
export function addScheduleCommands(program: Command, run: RunCommand): void {
  const group = addGroup(program, 'schedule', 'work that is submitted on a schedule');
  addCommand(group, 'list', {
    summary: 'list the schedules with their last and next run, and how many runs they missed or skipped',
    examples: ['animus schedule list', 'animus schedule list --json'],
  }).action(run(listCommand));
  addCommand(group, 'add <name> <cron> <faculty> [description]', {
    summary: 'add a schedule: five cron fields (six with seconds first), or @hourly, @daily, …',
    examples: [
      'animus schedule add triage "*/15 * * * *" triager "Look through the new issues"',
      'animus schedule add report "0 9 * * MON-FRI" writer --time-zone Europe/Berlin --missed skip',
      'animus schedule add plan "* * * * *" planner --overlap skip',
    ],
  })
    .option('--time-zone <zone>', 'an IANA name such as Europe/Berlin', 'UTC')
    .option('--params <json>', 'a JSON object, or @file')
    .option(
      '--missed <policy>',
      `what to do with runs missed while no daemon was running: ${MISSED_POLICIES.join(', ')}`,
      choice(MISSED_POLICIES),
      'once',
    )
    .option(
      '--grace <seconds>',
      'with skip: a run that is at most this late is still fired',
      wholeNumber(0, 31_536_000),
      3600,
    )
    .option(
      '--overlap <policy>',
      `what a run does that is due while an item of the schedule has not ended: ${OVERLAP_POLICIES.join(', ')}`,
      choice(OVERLAP_POLICIES),
      'allow',
    )
    .option('--paused', 'create it paused')
    .action(run(addScheduleCommand));
  addCommand(group, 'pause <name>', {
    summary: 'pause it; runs that fall due while it is paused are not made up',
    examples: ['animus schedule pause triage'],
  }).action(run(pauseCommand));
  addCommand(group, 'resume <name>', {
    summary: 'resume it; its next run is computed from now',
    examples: ['animus schedule resume triage'],
  }).action(run(resumeCommand));
  addCommand(group, 'run <name>', {
    summary: 'submit its work now, even while paused; its next run does not change',
    examples: ['animus schedule run triage'],
  }).action(run(runCommand));
  addCommand(group, 'remove <name>', {
    summary: 'remove it and the record of its runs; work items it submitted stay',
    examples: ['animus schedule remove triage'],
  }).action(run(removeCommand));
}

async function listCommand(invocation: Invocation, _options: CommonOptions): Promise<number> {
  const { output } = invocation;
  const { schedules, now } = await withDatabase(invocation, async (db) => ({
    schedules: await listSchedules(db),
    now: await databaseNow(db),
  }));
  output.document({ schedules });
  if (schedules.length === 0) {
    output.note('no schedules');
    return 0;
  }
  output.table(
    [
      { title: 'NAME', shrink: true },
      { title: 'CRON' },
      { title: 'TIME ZONE', shrink: true },
      { title: 'FACULTY', shrink: true },
      { title: 'NEXT' },
      { title: 'LAST' },
      { title: 'MISSED', align: 'right' },
      { title: 'SKIPPED', align: 'right' },
      { title: 'DESCRIPTION', shrink: true },
    ],
    schedules.map((schedule) => rowOf(schedule, now.getTime())),
  );
  for (const { name, problem } of schedules) if (problem !== null) output.block(`problem  ${name}: ${problem}`);
  return 0;
}

function rowOf(schedule: Schedule, nowMs: number) {
  const counts = (['missed', 'skipped'] as const).map((result) => countOf(schedule, result));
  return [
    styled(schedule.name, 'bold'),
    schedule.cron,
    schedule.time_zone,
    schedule.faculty,
    nextOf(schedule, nowMs),
    schedule.last_at === null ? styled('-', 'dim') : age(schedule.last_at, nowMs),
    ...counts.map((count) => (count === 0 ? styled('-', 'dim') : styled(String(count), 'yellow'))),
    schedule.description,
  ];
}

function countOf({ runs }: Schedule, result: 'missed' | 'skipped'): number {
  return runs.reduce((sum, run) => sum + (run.result === result ? run.runs : 0), 0);
}

function nextOf(schedule: Schedule, nowMs: number) {
  if (schedule.problem !== null && !schedule.paused) return styled('problem', 'red');
  return nextRun(schedule, nowMs) ?? styled('not computed yet', 'dim');
}

async function addScheduleCommand(
  invocation: Invocation,
  options: AddOptions,
  name: string,
  cron: string,
  faculty: string,
  description = '',
): Promise<number> {
  const { output, context } = invocation;
  const { timeZone, missed, grace, overlap, paused = false } = options;
  checkNames(name, faculty);
  const reading = readCron(cron, timeZone);
  if (!reading.ok) throw new AnimusError('schedule.invalid', { detail: reading.problem });
  const params =
    options.params === undefined ? {} : jsonObject('--params', jsonOf('--params', options.params, context.cwd));
  const now = await withDatabase(invocation, async (db) => {
    const runs = { missed, graceSeconds: grace, overlap, paused };
    await addSchedule(db, { name, cron, timeZone, faculty, description, params, ...runs });
    const { warnIfUnserved } = await import('../../terminal/command/known-faculties.ts');
    await warnIfUnserved(invocation, db, { name: faculty, until: 'its work stays queued' });
    return databaseNow(db);
  });
  const first = reading.dueTimes.next(now);
  output.document({ name, cron, time_zone: timeZone, paused, next_at: paused ? null : first });
  const when = first === null ? 'never' : `${first.toISOString()} (${age(first, now.getTime())})`;
  output.line(styled(name, 'bold'), paused ? '  added, paused' : `  added; first due at ${when}`);
  return 0;
}

function checkNames(name: string, faculty: string): void {
  if (!/^[A-Za-z0-9][A-Za-z0-9_.-]{0,62}$/.test(name)) {
    const detail = `${JSON.stringify(name)} is not a valid schedule name: expected 1 to 63 letters, digits, -, _ and .`;
    throw new AnimusError('schedule.invalid', { detail });
  }
  if (!FACULTY_NAME.test(faculty)) {
    const detail = `${JSON.stringify(faculty)} is not a valid faculty name; is the cron expression in quotes?`;
    throw new AnimusError('schedule.invalid', { detail });
  }
}

function pauseCommand(invocation: Invocation, _options: CommonOptions, name: string): Promise<number> {
  return setPaused(invocation, name, true);
}

function resumeCommand(invocation: Invocation, _options: CommonOptions, name: string): Promise<number> {
  return setPaused(invocation, name, false);
}

async function setPaused(invocation: Invocation, name: string, paused: boolean): Promise<number> {
  const { output } = invocation;
  const changed = await withDatabase(invocation, (db) => pauseSchedule(db, name, paused));
  output.document({ name, paused, changed });
  output.line(styled(name, 'bold'), changed ? '' : '  was already', paused ? '  paused' : '  active');
  return 0;
}

async function runCommand(invocation: Invocation, _options: CommonOptions, name: string): Promise<number> {
  const { output } = invocation;
  const id = await withDatabase(invocation, (db) => runSchedule(db, name));
  output.document({ name, work_item_id: id });
  output.line(styled(id, 'bold'), '  created');
  return 0;
}

async function removeCommand(invocation: Invocation, _options: CommonOptions, name: string): Promise<number> {
  const { output } = invocation;
  const runs = await withDatabase(invocation, (db) => removeSchedule(db, name));
  output.document({ name, removed: true, runs });
  output.line(styled(name, 'bold'), '  removed', runs > 0 ? `, with ${counted(runs, 'recorded run')}` : '');
  return 0;
}
