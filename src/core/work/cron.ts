/** Cron expressions: when a schedule is due. Pure; daylight saving time is the library's business (docs/schedules.md says how it goes). */
import { Cron } from 'croner';
import { messageOf } from '../errors/errors.ts';

/** The due times of one cron expression in one time zone. */
export interface DueTimes {
  /** The first due time after this moment; null: there is none in the years the library looks at. */
  next(after: Date): Date | null;
  /** The last due time at or before this moment; null: none. */
  last(notAfter: Date): Date | null;
}

/** Either the due times, or what is wrong with the expression or the zone, in words for whoever wrote it. */
export type CronReading =
  | { readonly ok: true; readonly dueTimes: DueTimes }
  | { readonly ok: false; readonly problem: string };

/** Reads five or six fields (seconds first), or `@hourly`, `@daily` and the like; `timeZone` is an IANA name such as Europe/Berlin. */
export function readCron(expression: string, timeZone: string): CronReading {
  const zone = zoneProblem(timeZone);
  if (zone !== null) return { ok: false, problem: zone };
  // The library also takes a single date for an expression: that is run_at of a work item, no schedule.
  if (/^\s*\d{4}-\d\d/.test(expression))
    return refused(expression, 'a date is no cron expression; submit work with run_at');
  const fields = expression.trim().split(/\s+/).length;
  if (!expression.trim().startsWith('@') && fields !== 5 && fields !== 6)
    return refused(expression, `it has ${fields}`);
  try {
    const cron = new Cron(expression.trim(), { timezone: timeZone, paused: true, mode: '5-or-6-parts' });
    if (cron.nextRun(ANY_DAY) === null) return refused(expression, 'there is no such day');
    return { ok: true, dueTimes: { next: (after) => cron.nextRun(after), last: (notAfter) => lastOf(cron, notAfter) } };
  } catch (error) {
    return refused(expression, messageOf(error).replace(/^Cron\w+: /, ''));
  }
}

/** A day with all the days of a leap cycle after it. */
const ANY_DAY = new Date('2024-01-01T00:00:00Z');

function zoneProblem(timeZone: string): string | null {
  // Offsets are accepted by the runtime, but a zone without daylight saving time is seldom what was meant: say it as Etc/GMT-2.
  if (/^[A-Za-z]/.test(timeZone)) {
    try {
      Intl.DateTimeFormat('en', { timeZone }).format();
      return null;
    } catch {
      // Told below: the runtime's words name its own classes.
    }
  }
  return `time zone ${JSON.stringify(timeZone)}: expected an IANA name such as "Europe/Berlin" or "UTC"`;
}

function refused(expression: string, why: string): CronReading {
  const expected =
    'expected five fields (minute hour day month weekday), six with seconds first, or @daily and the like';
  return { ok: false, problem: `cron ${JSON.stringify(expression)}: ${expected}: ${why}` };
}

/** The library's previous run is before a moment, and due times are whole seconds. */
function lastOf(cron: Cron, notAfter: Date): Date | null {
  const [last] = cron.previousRuns(1, new Date(Math.floor(notAfter.getTime() / 1000) * 1000 + 1000));
  return last ?? null;
}
