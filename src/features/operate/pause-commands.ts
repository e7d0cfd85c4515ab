/** `animus pause|resume`: stops and resumes claiming and model calls. */
import type { Command } from 'commander';
import { AnimusError } from '../../core/errors/errors.ts';
import { didYouMean } from '../../core/errors/suggest.ts';
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../../core/work/faculty-name.ts';
import { ALL_FACULTIES, knownFaculties, pauseFaculty, resumeFaculty } from '../../store/work/operate.ts';
import { addCommand, type CommonOptions, type Invocation, type RunCommand } from '../../terminal/command/command.ts';
import { withDatabase } from '../../terminal/command/database.ts';
import { type Output, styled } from '../../terminal/view/output.ts';

interface PauseOptions extends CommonOptions {
  readonly reason?: string;
}

/** Adds `animus pause|resume`. */
export function addPauseCommands(program: Command, run: RunCommand): void {
  addCommand(program, 'pause [faculty]', {
    summary:
      'stop new claims and further model calls, for one faculty or all; tool calls that are running finish first',
    examples: ['animus pause', 'animus pause engineer --reason "the build is red"'],
  })
    .option('--reason <text>', 'reason, shown by status')
    .action(run(pauseCommand));
  addCommand(program, 'resume [faculty]', {
    summary: 'lift the pause of one faculty, or the pause of all',
    examples: ['animus resume', 'animus resume engineer'],
  }).action(run(resumeCommand));
}

async function pauseCommand(
  invocation: Invocation,
  options: PauseOptions,
  faculty: string | undefined,
): Promise<number> {
  const { output } = invocation;
  checkName(faculty);
  const { served } = await withDatabase(invocation, async (db) => {
    await pauseFaculty(db, faculty ?? ALL_FACULTIES, options.reason);
    return knownFaculties(db);
  });
  output.document({ faculty: faculty ?? null, paused: true });
  output.line(
    styled('paused   ', 'yellow'),
    nameOf(faculty),
    '; resume with: animus resume',
    faculty ? ` ${faculty}` : '',
  );
  // A misspelt name is accepted, but pauses nothing.
  if (faculty !== undefined && served.length > 0 && !served.includes(faculty)) {
    output.note(`no running daemon serves a faculty named ${faculty}${didYouMean(faculty, served)}`);
  }
  return 0;
}

/** Refuses invalid faculty names: a pause on one would have no effect. */
function checkName(faculty: string | undefined): void {
  if (faculty === undefined || FACULTY_NAME.test(faculty)) return;
  const detail = `${JSON.stringify(faculty)} is not a valid faculty name: expected ${FACULTY_NAME_RULE}`;
  throw new AnimusError('usage.invalid', { detail });
}

async function resumeCommand(
  invocation: Invocation,
  _options: CommonOptions,
  faculty: string | undefined,
): Promise<number> {
  const { output } = invocation;
  const { resumed, paused } = await withDatabase(invocation, async (db) => ({
    resumed: await resumeFaculty(db, faculty ?? ALL_FACULTIES),
    paused: (await knownFaculties(db)).paused,
  }));
  output.document({ faculty: faculty ?? null, resumed, still_paused: paused });
  if (resumed) output.line(styled('resumed  ', 'green'), nameOf(faculty));
  else output.note(`${nameOf(faculty)} was not paused`);
  remark(output, paused, faculty);
  return 0;
}

/** A faculty can be under two pauses: its own, and the pause of all. */
function remark(output: Output, paused: readonly string[], faculty: string | undefined): void {
  const holds = faculty === undefined ? paused : paused.filter((name) => name === ALL_FACULTIES);
  for (const name of holds) {
    const [what, how] = name === ALL_FACULTIES ? ['every faculty', 'animus resume'] : [name, `animus resume ${name}`];
    output.note(`still paused: ${what}; resume with: ${how}`);
  }
}

function nameOf(faculty: string | undefined): string {
  return faculty ?? 'every faculty';
}
