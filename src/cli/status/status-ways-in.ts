/** The part of `animus status` about schedules and the inbox. */
import type { Status } from '../../store/views/status-view.ts';
import { type Output, styled } from '../view/output.ts';
import { age, counted, grouped } from '../view/quantities.ts';

/** The schedules with their next run, and what is wrong with them. */
export function showSchedules(output: Output, { schedules, at }: Status): void {
  if (schedules.length === 0) return;
  const now = Date.parse(at);
  output.line();
  output.table(
    [
      { title: 'SCHEDULE', shrink: true },
      { title: 'FACULTY', shrink: true },
      { title: 'NEXT' },
      { title: 'LAST' },
      { title: '' },
    ],
    schedules.map((schedule) => [
      schedule.name,
      schedule.faculty,
      schedule.paused ? styled('paused', 'yellow') : schedule.next_at === null ? '-' : age(schedule.next_at, now),
      schedule.last_at === null ? '-' : age(schedule.last_at, now),
      schedule.missed_24h > 0 ? styled(`${counted(schedule.missed_24h, 'run')} missed in 24 h`, 'yellow') : '',
    ]),
  );
  for (const { name, problem } of schedules) {
    if (problem !== null) output.line(styled('problem  ', 'red'), `schedule ${name}: ${problem}`);
  }
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
      `${grouped(dead)} unreadable in pgmq.q_animus_inbox_dead; the last: ${inbox.last_dead_reason ?? 'no reason'}`,
    );
  }
}
