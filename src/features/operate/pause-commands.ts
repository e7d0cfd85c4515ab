/** `animus pause|resume`: stops and resumes claiming and model calls. */
import { FACULTY_NAME, FACULTY_NAME_RULE } from '../../core/work/faculty-name.ts';
import { ALL_FACULTIES, pausedFaculties } from '../../store/work/operate.ts';
import { operationCommand } from '../../terminal/command/operation-command.ts';
import { type Output, styled } from '../../terminal/view/output.ts';
import * as operations from './pauses.ts';

export const pause = operationCommand(operations.pause, {
  usage: 'pause [faculty]',
  summary: 'stop new claims and further model calls, for one faculty or all; tool calls that are running finish first',
  examples: ['animus pause', 'animus pause engineer --reason "the build is red"'],
  options: { reason: ['--reason <text>', 'reason, shown by status'] },
  check: ({ faculty }) => wrongName(faculty),
  document: ({ input: { faculty } }) => ({ faculty: faculty === ALL_FACULTIES ? null : faculty, paused: true }),
  show(output, { input: { faculty } }) {
    const again = faculty === ALL_FACULTIES ? '' : ` ${faculty}`;
    output.line(styled('paused   ', 'yellow'), nameOf(faculty), '; resume with: animus resume', again);
  },
});

export const resume = operationCommand(operations.resume, {
  usage: 'resume [faculty]',
  summary: 'lift the pause of one faculty, or the pause of all',
  examples: ['animus resume', 'animus resume engineer'],
  defaults: { faculty: ALL_FACULTIES },
  after: async (db) => pausedFaculties(db),
  document: ({ input: { faculty }, result: { resumed }, after: paused }) => ({
    faculty: faculty === ALL_FACULTIES ? null : faculty,
    resumed,
    still_paused: paused,
  }),
  show(output, { input: { faculty }, result: { resumed }, after: paused }) {
    if (resumed) output.line(styled('resumed  ', 'green'), nameOf(faculty));
    else output.note(`${nameOf(faculty)} was not paused`);
    remark(output, paused, faculty);
  },
});

/** A pause on a name that is invalid would have no effect. */
function wrongName(faculty: string): string | null {
  if (faculty === ALL_FACULTIES || FACULTY_NAME.test(faculty)) return null;
  return `${JSON.stringify(faculty)} is not a valid faculty name: expected ${FACULTY_NAME_RULE}`;
}

/** A faculty can be under two pauses: its own, and the pause of all. */
function remark(output: Output, paused: readonly string[], faculty: string): void {
  const holds = faculty === ALL_FACULTIES ? paused : paused.filter((name) => name === ALL_FACULTIES);
  for (const name of holds) {
    const how = name === ALL_FACULTIES ? 'animus resume' : `animus resume ${name}`;
    output.note(`still paused: ${nameOf(name)}; resume with: ${how}`);
  }
}

function nameOf(faculty: string): string {
  return faculty === ALL_FACULTIES ? 'every faculty' : faculty;
}
