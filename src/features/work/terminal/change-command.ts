/** `animus work change`: another priority, time or description for work that has not begun. */
import { operationCommand } from '../../../terminal/command/operation-command.ts';
import { readInput } from '../../../terminal/command/read-input.ts';
import { styled } from '../../../terminal/view/output.ts';
import { stateLabel } from '../../../terminal/view/quantities.ts';
import { changeWork } from '../operations.ts';
import { foundWork } from './say-command.ts';

export const change = operationCommand(changeWork, {
  usage: 'change <id>',
  summary: 'change the priority, the time or the description of queued or scheduled work',
  examples: [
    'animus work change 5b1f0c3de2a9 --priority 10',
    'animus work change 5b1f0c3de2a9 --run-at +2h',
    'animus work change 5b1f0c3de2a9 --run-at +0s --description "Fix the timezone test, in winter, too"',
  ],
  options: {
    priority: ['--priority <n>', 'higher runs first'],
    run_at: ['--run-at <time>', 'do not run before: 2026-03-01T09:00, +90s, +10m, +2h, +1d; +0s: as soon as possible'],
    description: ['--description <text>', 'before its first focus: what is to be done; - reads standard input'],
  },
  read: async (given, { context }) =>
    given.description === '-' ? { ...given, description: await readInput(context.stdin) } : given,
  check: ({ priority, run_at: runAt, description }) =>
    priority === undefined && runAt === undefined && description === undefined
      ? 'give --priority, --run-at or --description'
      : null,
  find: foundWork,
  show: (output, { result: { id, state } }) => output.line(styled(id, 'bold'), '  ', stateLabel(state), '  changed'),
});
