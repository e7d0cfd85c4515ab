/** The part of `animus status` about schedules and the inbox. */
import { nextRun } from '../../../terminal/view/next-run.ts';
import { type Output, styled } from '../../../terminal/view/output.ts';
import { age, counted, grouped, shortId } from '../../../terminal/view/quantities.ts';
import { cut, showTable } from '../../../terminal/view/table.ts';
import type { Status } from './status.ts';

/** The schedules with their next run, and what is wrong with them. */
export function showSchedules(output: Output, { schedules, at }: Status): void {
  if (schedules.length === 0) return;
  const now = Date.parse(at);
  output.line();
  showTable(output, schedules, [
    [cut('SCHEDULE'), (schedule) => schedule.name],
    [cut('FACULTY'), (schedule) => schedule.faculty],
    ['NEXT', (schedule) => nextRun(schedule, now) ?? '-'],
    ['LAST', ({ last_at: last }) => (last === null ? '-' : age(last, now))],
    ['', (schedule) => styled(leftOut(schedule), 'yellow')],
  ]);
  for (const { name, problem } of schedules) {
    if (problem !== null) output.line(styled('problem  ', 'red'), `schedule ${name}: ${problem}`);
  }
}

function leftOut({ missed_24h: missed, skipped, open_item: open }: Status['schedules'][number]): string {
  const until = open === null ? '' : `: ${shortId(open)} has not ended`;
  return [
    ...(missed > 0 ? [`${counted(missed, 'run')} missed in 24 h`] : []),
    ...(skipped > 0 ? [`${counted(skipped, 'run')} skipped${until}`] : []),
  ].join(', ');
}

/** Prints nothing while the inbox is empty and has no unreadable messages. */
export function showInbox(output: Output, { inbox, at }: Status): void {
  const { waiting, oldest_at: oldest, dead } = inbox;
  if (waiting > 0 && oldest !== null) {
    output.line(
      styled('Inbox     ', 'bold'),
      `${counted(waiting, 'message')}, the oldest from ${age(oldest, Date.parse(at))}`,
    );
  }
  if (dead > 0) {
    output.line(
      styled('problem  ', 'red'),
      `${grouped(dead)} unreadable in the queue animus_inbox_dead; the last: ${inbox.last_dead_reason ?? 'no reason'}`,
    );
  }
}
