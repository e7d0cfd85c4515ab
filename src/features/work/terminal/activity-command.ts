/** `animus work activity`. */

import { pastMoment } from '../../../terminal/command/arguments.ts';
import { operationCommand } from '../../../terminal/command/operation-command.ts';
import { right, showTable, spare } from '../../../terminal/view/table.ts';
import { ACTIVITY_UNITS, type Activity, showActivity } from '../activity.ts';

export const activity = operationCommand(showActivity, {
  usage: 'activity',
  summary: 'what was submitted, has ended and was spent, by minute, hour or day',
  examples: ['animus work activity --since 1d', 'animus work activity --by day --since 14d --faculty engineer'],
  options: {
    by: ['--by <interval>', `${ACTIVITY_UNITS.join(', ')} (default: hour)`],
    since: ['--since <time>', 'from then on: 2h, 1d (ago) or 2026-03-01', pastMoment],
    until: ['--until <time>', 'before that time; default: now', pastMoment],
    faculty: ['--faculty <name>', 'only this faculty; may be repeated'],
    by_faculty: ['--by-faculty', 'a row for each faculty'],
  },
  show(output, { result: { items, partial }, typed }) {
    showTable(output, items, [
      ['AT', ({ at }) => `${at.toISOString().slice(0, 16)}Z`],
      ...(typed['by_faculty'] === true ? [['FACULTY', ({ faculty }: Activity) => faculty ?? ''] as const] : []),
      [right('SUBMITTED'), ({ submitted }) => String(submitted)],
      [right('COMPLETED'), ({ completed }) => String(completed)],
      [right('DEAD'), ({ dead }) => String(dead)],
      [right('CANCELLED'), ({ cancelled }) => String(cancelled)],
      [spare(right('P50')), ({ p50_seconds: seconds }) => took(seconds)],
      [spare(right('P95')), ({ p95_seconds: seconds }) => took(seconds)],
      [right('USD'), ({ usd }) => usd.toFixed(2)],
    ]);
    if (partial) output.note('of the last moments not all was counted, because no daemon adds it up');
  },
});

function took(seconds: number | null): string {
  return seconds === null ? '-' : `${seconds < 10 ? seconds.toFixed(1) : Math.round(seconds)} s`;
}
