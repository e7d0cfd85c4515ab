/** Cron expressions: computes when a schedule is due. Pure. The library handles daylight saving time (see docs/schedules.md). */
import { Cron } from 'croner';
import { messageOf } from '../errors/errors.ts';

/** The due times of one cron expression in one time zone. */
export interface DueTimes {
  /** The first due time after this moment; null: none in the years that the library searches. */
  next(after: Date): Date | null;
  /** The last due time at or before this moment; null: none. */
  last(notAfter: Date): Date | null;
}

/** Either the due times, or a message about the mistake in the expression or the zone. */
export type CronReading =
  | { readonly ok: true; readonly dueTimes: DueTimes }
  | { readonly ok: false; readonly problem: string };

/** Parses five or six fields (seconds first), or `@hourly`, `@daily` and so on; `timeZone` is an IANA name such as Europe/Berlin. */
export function readCron(expression: string, timeZone: string): CronReading {
  const zone = zoneProblem(timeZone);
  if (zone !== null) return { ok: false, problem: zone };
  // The library also accepts a single date. A schedule does not: use run_at of a work item.
  if (/^\s*\d{4}-\d\d/.test(expression))
    return refused(expression, 'a date is not a cron expression; submit work with run_at instead');
  const fields = expression.trim().split(/\s+/).length;
  if (!expression.trim().startsWith('@') && fields !== 5 && fields !== 6)
    return refused(expression, `it has ${fields}`);
  try {
    const cron = new Cron(expression.trim(), { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
    if (cron.nextRun(ANY_DAY) === null) return refused(expression, 'no such day exists');
    return { ok: true, dueTimes: { next: (after) => cron.nextRun(after), last: (notAfter) => lastOf(cron, notAfter) } };
  } catch (error) {
    return refused(expression, messageOf(error).replace(/^Cron\w+: /, ''));
  }
}

/** A day that is followed by all days of a leap year cycle. */
const ANY_DAY = new Date('2024-01-01T00:00:00Z');

function zoneProblem(timeZone: string): string | null {
  // The runtime accepts offsets, but a zone without daylight saving time is rarely intended: write Etc/GMT-2 instead.
  if (/^[A-Za-z]/.test(timeZone)) {
    try {
      Intl.DateTimeFormat('en', { timeZone }).format();
      return null;
    } catch {
      // Reported below: the message of the runtime names its own classes.
    }
  }
  return `time zone ${JSON.stringify(timeZone)}: expected an IANA name such as "Europe/Berlin" or "UTC"`;
}

function refused(expression: string, why: string): CronReading {
  const expected =
    'expected five fields (minute hour day month weekday), six with seconds first, or @hourly, @daily, …';
  return { ok: false, problem: `cron ${JSON.stringify(expression)}: ${expected}: ${why}` };
}

/** Adds a second, because the library searches strictly before a moment and due times are whole seconds. */
function lastOf(cron: Cron, notAfter: Date): Date | null {
  const [last] = cron.previousRuns(1, new Date(Math.floor(notAfter.getTime() / 1000) * 1000 + 1000));
  return last ?? null;
}
